// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

/// Something is no attestation, or none by this key. The message says what is wrong with it.
public final class AttestationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public AttestationException(String message) {
        super(message);
    }
}
