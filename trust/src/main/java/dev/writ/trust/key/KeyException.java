// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import dev.writ.core.file.Reason;

/// A key that cannot be used, or a signature that says nothing.
public final class KeyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public KeyException(String message) {
        super(message);
    }

    public KeyException(String message, Throwable cause) {
        super(message + ": " + Reason.of(cause), cause);
    }
}
