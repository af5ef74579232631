// SPDX-License-Identifier: Apache-2.0

/// How messages come and go: lines on standard streams, or HTTP.
@NullMarked
package dev.writ.mcp.transport;

import org.jspecify.annotations.NullMarked;
