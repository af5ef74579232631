// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.file;

import java.io.IOException;

/// Somebody else holds what only one can hold.
public final class HeldException extends IOException {
    private static final long serialVersionUID = 1;

    HeldException(String message) {
        super(message);
    }
}
