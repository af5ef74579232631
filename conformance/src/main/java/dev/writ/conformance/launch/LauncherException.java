// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.launch;

/// A launcher that cannot be used.
public final class LauncherException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public LauncherException(String message) {
        super(message);
    }
}
