// SPDX-License-Identifier: Apache-2.0

/// Keys that sign and verify, where they are kept, and signed notes.
@NullMarked
package dev.writ.trust.key;

import org.jspecify.annotations.NullMarked;
