// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

/// The command line, or a file it names, cannot be used. Nothing has happened.
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
        super(message);
    }
}
