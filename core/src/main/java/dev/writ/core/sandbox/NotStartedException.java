// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

/// Nothing was started, because what should be is not there, is no program, or lacks its
/// interpreter.
public final class NotStartedException extends SandboxException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    /// @param exitCode what a shell would end with
    public NotStartedException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }
}
