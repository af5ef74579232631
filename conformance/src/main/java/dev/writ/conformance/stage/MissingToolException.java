// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

/// A case cannot be tried on this machine. It is skipped, with this reason.
public final class MissingToolException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public MissingToolException(String message) {
        super(message);
    }
}
