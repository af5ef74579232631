// SPDX-License-Identifier: Apache-2.0

/// The console: a web page for the operator, behind a port of its own. Its files are the resources
/// of this package.
@NullMarked
package dev.writ.daemon.console;

import org.jspecify.annotations.NullMarked;
