// SPDX-License-Identifier: Apache-2.0

/// The operator's rules as data, and the pure function from an action to a decision. Reading policy
/// files belongs elsewhere: here are no files, no clock, no threads.
@NullMarked
package dev.writ.core.policy;

import org.jspecify.annotations.NullMarked;
