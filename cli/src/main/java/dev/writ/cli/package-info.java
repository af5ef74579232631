// SPDX-License-Identifier: Apache-2.0

/// The command line: verbs, flags, and words for people. Options are read by hand, because starting
/// fast is a feature.
@NullMarked
package dev.writ.cli;

import org.jspecify.annotations.NullMarked;
