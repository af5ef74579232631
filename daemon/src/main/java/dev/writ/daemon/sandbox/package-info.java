// SPDX-License-Identifier: Apache-2.0

/// Sandboxes that are kept between calls, the processes in them, and what those have written.
@NullMarked
package dev.writ.daemon.sandbox;

import org.jspecify.annotations.NullMarked;
