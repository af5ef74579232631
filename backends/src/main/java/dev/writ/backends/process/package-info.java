// SPDX-License-Identifier: Apache-2.0

/// The default backend on Linux: Landlock, seccomp, notifications and tracing, with no root, no
/// helper program and no namespace. A plan is made first, from the policy alone; then it is carried
/// out.
@NullMarked
package dev.writ.backends.process;

import org.jspecify.annotations.NullMarked;
