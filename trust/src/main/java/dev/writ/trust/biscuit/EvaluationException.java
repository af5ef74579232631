// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

/// An expression that has no value.
final class EvaluationException extends BiscuitException {
    private static final long serialVersionUID = 1;

    EvaluationException(String message) {
        super(message);
    }
}
