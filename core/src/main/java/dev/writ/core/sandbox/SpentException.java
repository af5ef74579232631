// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

/// Nothing was started, because the session has used up a limit.
public final class SpentException extends SandboxException {
    private static final long serialVersionUID = 1;

    public SpentException(Use use) {
        super(use.line());
    }
}
