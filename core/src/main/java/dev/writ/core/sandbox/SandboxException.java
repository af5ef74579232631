// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

/// A sandbox could not be made as it was wanted; nothing was started.
public sealed class SandboxException extends RuntimeException
        permits NotStartedException, SpentException {
    private static final long serialVersionUID = 1;

    public SandboxException(String message) {
        super(message);
    }

    public SandboxException(String message, Throwable cause) {
        super(message, cause);
    }
}
