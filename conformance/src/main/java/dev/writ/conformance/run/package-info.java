// SPDX-License-Identifier: Apache-2.0
/// Plays cases and judges them: controls first, then the sandbox, then the verdict.
@NullMarked
package dev.writ.conformance.run;

import org.jspecify.annotations.NullMarked;
