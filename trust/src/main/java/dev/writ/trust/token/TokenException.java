// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

/// A token that cannot be made as it was asked for.
public final class TokenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TokenException(String message) {
        super(message);
    }
}
