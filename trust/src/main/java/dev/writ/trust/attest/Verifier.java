// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

/// Knows a public key.
public interface Verifier {
    boolean verify(byte[] message, byte[] signature);
}
