// SPDX-License-Identifier: Apache-2.0

/// What a process has really become by an exec: the program, a script, what a loader loads, what an
/// interpreter reads, and what any of these is a copy of.
@NullMarked
package dev.writ.backends.program;

import org.jspecify.annotations.NullMarked;
