// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

/// There are as many of something as there may be.
public final class TooManyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooManyException(String message) {
        super(message);
    }
}
