// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

/// A case file that does not say what a case file must say.
public final class CorpusException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CorpusException(String message) {
        super(message);
    }

    public CorpusException(String message, Throwable cause) {
        super(message, cause);
    }
}
