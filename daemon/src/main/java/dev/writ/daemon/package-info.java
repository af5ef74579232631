// SPDX-License-Identifier: Apache-2.0

/// The daemon: starts, listens, ends. What it serves is in `api`, what it keeps in `sandbox`.
@NullMarked
package dev.writ.daemon;

import org.jspecify.annotations.NullMarked;
