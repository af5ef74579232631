// SPDX-License-Identifier: Apache-2.0

/// A small, strict HTTP/1.1 server: one virtual thread a connection, plain blocking code. Knows
/// nothing of Writ.
@NullMarked
package dev.writ.daemon.http;

import org.jspecify.annotations.NullMarked;
