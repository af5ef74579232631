// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

/// A text that is no capability or no action: what is wrong, at which column, and what was probably
/// meant.
public final class SyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int column;
    private final String hint;
    private final boolean unknownKind;

    private SyntaxException(String message, int column, String hint, boolean unknownKind) {
        super(message);
        this.column = column;
        this.hint = hint;
        this.unknownKind = unknownKind;
    }

    static SyntaxException at(int index, String message, String hint) {
        return new SyntaxException(message, index + 1, hint, false);
    }

    static SyntaxException unknownKind(String message, String hint) {
        return new SyntaxException(message, 1, hint, true);
    }

    /// The column in the text, counted from 1.
    public int column() {
        return column;
    }

    /// What to write instead; empty if nothing comes to mind.
    public String hint() {
        return hint;
    }

    /// Whether the text is not of this language at all, rather than naming something badly.
    public boolean isUnknownKind() {
        return unknownKind;
    }

    /// Message and hint in one line.
    public String explanation() {
        return hint.isEmpty() ? getMessage() : getMessage() + "; " + hint;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
