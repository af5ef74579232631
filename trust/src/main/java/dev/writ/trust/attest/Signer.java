// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

/// Signs with a key that stays where it is.
public interface Signer {
    byte[] sign(byte[] message);
}
