// SPDX-License-Identifier: Apache-2.0

/// The port to whatever confines: what a sandbox must be, who makes it, and what came of it.
@NullMarked
package dev.writ.core.sandbox;

import org.jspecify.annotations.NullMarked;
