// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

/// Two sets of patterns could not be compared within bounds. Never to be read as "no difference".
public final class UndecidedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UndecidedException(String message) {
        super(message);
    }
}
