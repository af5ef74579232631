// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

/// A secret could not be read. The message says which one and why, and nothing of its value.
public final class SecretException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String hint;

    SecretException(String name, String message, String hint) {
        super("the secret `" + name + "` cannot be read: " + message);
        this.hint = hint;
    }

    /// What to do about it.
    public String hint() {
        return hint;
    }
}
