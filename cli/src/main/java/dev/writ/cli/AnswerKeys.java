// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

/// What the operator types at a question. Whatever a terminal sends by itself, such as an answer to
/// something that the agent has made it be asked, comes in sequences, and so does what is pasted:
/// none of that is typed, and it is skipped as a whole.
final class AnswerKeys {
    /// What a byte has come to.
    enum Key {
        NOTHING,
        /// The line has changed.
        CHANGED,
        /// To see more.
        MORE,
        /// The line is complete.
        ENTER,
        /// A key that means to get out of here.
        STOP
    }

    private enum State {
        TYPED,
        ESCAPE,
        SEQUENCE,
        STRING,
        STRING_ESCAPE,
        ONE_MORE,
        MOUSE,
        PASTED
    }

    private static final int CTRL_C = 3;
    private static final int CTRL_D = 4;
    private static final int BELL = 7;
    private static final int CTRL_U = 0x15;
    private static final int CANCEL = 0x18;
    private static final int ESCAPE = 0x1b;
    private static final int CTRL_BACKSLASH = 0x1c;
    private static final int MOST = 16; // as much as the answer line has room for

    private final StringBuilder line = new StringBuilder();
    private final StringBuilder sequence = new StringBuilder();
    private State state = State.TYPED;
    private int mouseBytes;
    private boolean placeReported;

    /// What stands on the line.
    String line() {
        return line.toString();
    }

    void clear() {
        line.setLength(0);
    }

    /// Whether the terminal has said where its cursor is: it has then dealt with everything that it
    /// was sent before.
    boolean hasReportedPlace() {
        return placeReported;
    }

    /// Nothing has come for long: what looked like the beginning of a sequence was a key.
    void pause() {
        state = State.TYPED;
    }

    Key type(int b) {
        return switch (state) {
            case TYPED -> typed(b);
            case ESCAPE -> escape(b);
            case SEQUENCE -> sequence(b);
            case STRING -> {
                state =
                        b == BELL || b == CANCEL
                                ? State.TYPED
                                : b == ESCAPE ? State.STRING_ESCAPE : State.STRING;
                yield Key.NOTHING;
            }
            case STRING_ESCAPE -> {
                state = b == '\\' ? State.TYPED : State.STRING;
                yield Key.NOTHING;
            }
            case ONE_MORE -> {
                state = State.TYPED;
                yield Key.NOTHING;
            }
            case MOUSE -> {
                state = --mouseBytes > 0 ? State.MOUSE : State.TYPED;
                yield Key.NOTHING;
            }
            case PASTED -> {
                pasted(b);
                yield Key.NOTHING;
            }
        };
    }

    private Key typed(int b) {
        return switch (b) {
            case ESCAPE -> {
                state = State.ESCAPE;
                yield Key.NOTHING;
            }
            case '\r', '\n' -> Key.ENTER;
            case CTRL_C, CTRL_D, CTRL_BACKSLASH -> Key.STOP;
            case CTRL_U -> {
                line.setLength(0);
                yield Key.CHANGED;
            }
            case '\b', 0x7f -> {
                line.setLength(Math.max(0, line.length() - 1));
                yield Key.CHANGED;
            }
            case ' ' -> line.isEmpty() ? Key.MORE : add(b);
            default -> add(b);
        };
    }

    private Key add(int b) {
        if (line.length() < MOST) {
            line.append(b > ' ' && b <= '~' ? (char) b : '?');
        }
        return Key.CHANGED;
    }

    private Key escape(int b) {
        sequence.setLength(0);
        state =
                switch (b) {
                    case '[' -> State.SEQUENCE;
                    case ']', 'P', 'X', '^', '_' -> State.STRING;
                    case 'O' -> State.ONE_MORE;
                    case ESCAPE -> State.ESCAPE;
                    default -> State.TYPED;
                };
        return b == CTRL_C || b == CTRL_D ? Key.STOP : Key.NOTHING;
    }

    private Key sequence(int b) {
        if (b < '@' || b > '~') {
            if (sequence.length() < MOST) {
                sequence.append((char) b);
            }
            return b == CTRL_C || b == CTRL_D ? Key.STOP : Key.NOTHING;
        }
        state = State.TYPED;
        String parameters = sequence.toString();
        sequence.setLength(0);
        if (b == 'M' && parameters.isEmpty()) {
            mouseBytes = 3;
            state = State.MOUSE;
        } else if (b == 'R') {
            placeReported = true;
        } else if (b == '~' && parameters.equals("200")) {
            state = State.PASTED;
        }
        return Key.NOTHING;
    }

    /// Until the terminal says that the pasted text is over.
    private void pasted(int b) {
        sequence.append((char) b);
        if (sequence.toString().endsWith("\u001b[201~")) {
            state = State.TYPED;
        } else if (sequence.length() > MOST) {
            sequence.delete(0, sequence.length() - MOST);
        }
    }
}
