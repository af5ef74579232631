// SPDX-License-Identifier: Apache-2.0

/// Reads JSON, for everybody who has to.
@NullMarked
package dev.writ.core.json;

import org.jspecify.annotations.NullMarked;
