// SPDX-License-Identifier: Apache-2.0

/// An MCP server whose tools run under the broker: each client has a session of its own.
@NullMarked
package dev.writ.mcp;

import org.jspecify.annotations.NullMarked;
