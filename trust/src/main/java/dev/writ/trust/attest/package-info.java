// SPDX-License-Identifier: Apache-2.0

/// A signed statement for others about a session: what ran, under which policy, kept from what, and
/// what came of it. docs/attestation.md describes it.
@NullMarked
package dev.writ.trust.attest;

import org.jspecify.annotations.NullMarked;
