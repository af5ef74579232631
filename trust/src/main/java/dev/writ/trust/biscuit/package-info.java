// SPDX-License-Identifier: Apache-2.0

/// Biscuit tokens, version 3: their bytes, their signatures and their logic, as the specification
/// has them. What Writ makes of them is in `dev.writ.trust.token`.
@NullMarked
package dev.writ.trust.biscuit;

import org.jspecify.annotations.NullMarked;
