// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import dev.writ.core.digest.Sha256;
import java.security.DigestException;
import java.security.MessageDigest;

/// The hashes of a Merkle tree as in RFC 6962. Belongs to one thread at a time.
final class Hasher {
    static final int LENGTH = 32;

    private final MessageDigest digest = Sha256.begin();
    private final byte[] work = new byte[Tiles.WIDTH * LENGTH];

    byte[] empty() {
        return digest.digest();
    }

    byte[] leaf(byte[] entry) {
        byte[] hash = new byte[LENGTH];
        leaf(entry, 0, entry.length, hash, 0);
        return hash;
    }

    void leaf(byte[] bytes, int from, int length, byte[] out, int at) {
        digest.update((byte) 0);
        digest.update(bytes, from, length);
        finish(out, at);
    }

    byte[] node(byte[] left, byte[] right) {
        byte[] hash = new byte[LENGTH];
        digest.update((byte) 1);
        digest.update(left);
        digest.update(right);
        finish(hash, 0);
        return hash;
    }

    /// The root above `count` neighbouring hashes, a power of two and no more than a tile has.
    byte[] perfect(byte[] hashes, int first, int count) {
        System.arraycopy(hashes, first * LENGTH, work, 0, count * LENGTH);
        for (int left = count; left > 1; left /= 2) {
            for (int i = 0; i < left / 2; i++) {
                digest.update((byte) 1);
                digest.update(work, 2 * i * LENGTH, 2 * LENGTH);
                finish(work, i * LENGTH);
            }
        }
        byte[] root = new byte[LENGTH];
        System.arraycopy(work, 0, root, 0, LENGTH);
        return root;
    }

    private void finish(byte[] out, int at) {
        try {
            digest.digest(out, at, LENGTH);
        } catch (DigestException e) {
            throw new AssertionError("there is room for it", e);
        }
    }
}
