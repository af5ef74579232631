// SPDX-License-Identifier: Apache-2.0

/// Capability tokens: what an agent may do, signed, given on by its holder with less in it, and
/// revoked. Biscuits of one fixed form; see docs/tokens.md.
@NullMarked
package dev.writ.trust.token;

import org.jspecify.annotations.NullMarked;
