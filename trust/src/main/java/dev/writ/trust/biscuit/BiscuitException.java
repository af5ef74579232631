// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

/// A token that is refused: its bytes, its signatures or what it would cost. No stack is kept, as
/// strangers can cause it as often as they like.
public class BiscuitException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BiscuitException(String message) {
        super(message, null, false, false);
    }
}
