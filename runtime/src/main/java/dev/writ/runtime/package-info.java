// SPDX-License-Identifier: Apache-2.0

/// The library's front door, and the only place that knows all the parts.
@NullMarked
package dev.writ.runtime;

import org.jspecify.annotations.NullMarked;
