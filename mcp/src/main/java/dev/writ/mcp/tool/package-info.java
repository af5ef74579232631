// SPDX-License-Identifier: Apache-2.0

/// The tools: what each takes, does and says.
@NullMarked
package dev.writ.mcp.tool;

import org.jspecify.annotations.NullMarked;
