// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

/// The host side of a case could not be set up; says nothing about the sandbox.
public final class StageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StageException(String message) {
        super(message);
    }

    public StageException(String message, Throwable cause) {
        super(message, cause);
    }
}
