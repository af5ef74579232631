// SPDX-License-Identifier: Apache-2.0

/// What coding agents are told about each tool that they want to use (docs/hooks.md).
@NullMarked
package dev.writ.daemon.hook;

import org.jspecify.annotations.NullMarked;
