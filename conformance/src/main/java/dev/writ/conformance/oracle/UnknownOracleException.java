// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

/// An oracle that cannot be read.
public final class UnknownOracleException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UnknownOracleException(String message) {
        super(message);
    }
}
