// SPDX-License-Identifier: Apache-2.0

/// Logs that others can verify: entries in a Merkle tree of tiles under a signed checkpoint, as in
/// C2SP's tlog-tiles, fed by a write-ahead log. What an entry means is nobody's business here.
@NullMarked
package dev.writ.trust.log;

import org.jspecify.annotations.NullMarked;
