// SPDX-License-Identifier: Apache-2.0

/// Speaks to a running daemon.
@NullMarked
package dev.writ.daemon.client;

import org.jspecify.annotations.NullMarked;
