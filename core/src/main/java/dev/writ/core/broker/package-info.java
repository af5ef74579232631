// SPDX-License-Identifier: Apache-2.0

/// The main path: a request goes in, a verdict comes out, and it is written down in between.
@NullMarked
package dev.writ.core.broker;

import org.jspecify.annotations.NullMarked;
