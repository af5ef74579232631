// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a program has made of the terminal, as far as a question on top of it has to know: which of
/// the two screens it draws on, and the modes that would spoil a question. Learned by watching what
/// it writes.
final class ScreenState {
    private static final int ESCAPE = 0x1b;
    private static final int BELL = 7;
    private static final int CANCEL = 0x18;
    private static final int LONGEST = 64;

    /// The modes that a question needs one way or the other, and how they are by themselves.
    private enum Mode {
        REVERSED(5, false, false),
        ORIGIN(6, false, false),
        WRAP(7, true, true),
        MOUSE_PRESS(9, false, false),
        CURSOR(25, true, true),
        MARGINS(69, false, false),
        MOUSE(1000, false, false),
        MOUSE_HIGHLIGHT(1001, false, false),
        MOUSE_DRAG(1002, false, false),
        MOUSE_MOVE(1003, false, false),
        FOCUS(1004, false, false),
        PASTE_MARKS(2004, true, false);

        private final int number;
        private final boolean needed;
        private final boolean byItself;

        Mode(int number, boolean needed, boolean byItself) {
            this.number = number;
            this.needed = needed;
            this.byItself = byItself;
        }
    }

    private enum State {
        TEXT,
        ESCAPE,
        SEQUENCE,
        STRING
    }

    private final SortedMap<Integer, Boolean> modes = new TreeMap<>();
    private final StringBuilder sequence = new StringBuilder();
    private State state = State.TEXT;
    private boolean otherScreen;
    private boolean inserting;
    private String region = "";
    private String keyReports = "";

    ScreenState() {
        reset();
    }

    private void reset() {
        for (var mode : Mode.values()) {
            modes.put(mode.number, mode.byItself);
        }
        otherScreen = false;
        inserting = false;
        region = "";
        keyReports = "";
    }

    /// Whether the program draws on the screen that has no past: it will draw all of it again.
    boolean isFullScreen() {
        return otherScreen;
    }

    /// Takes notice of what the program has written.
    void watch(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            if (state != State.TEXT || bytes[i] == ESCAPE) {
                next(bytes[i] & 0xff);
            }
        }
    }

    private void next(int b) {
        if (b == ESCAPE || b == CANCEL) {
            // Also within a sequence: a new one begins, or none.
            state = b == ESCAPE ? State.ESCAPE : State.TEXT;
            sequence.setLength(0);
            return;
        }
        switch (state) {
            case TEXT -> {}
            case ESCAPE -> {
                if (b == 'c') {
                    reset();
                }
                state =
                        switch (b) {
                            case '[' -> State.SEQUENCE;
                            case ']', 'P', 'X', '^', '_', 'k' -> State.STRING;
                            default -> State.TEXT;
                        };
            }
            case STRING -> state = b == BELL ? State.TEXT : State.STRING;
            case SEQUENCE -> {
                if (b >= '@' && b <= '~') {
                    state = State.TEXT;
                    sequence(sequence.toString(), (char) b);
                } else if (sequence.length() < LONGEST) {
                    sequence.append((char) b);
                }
            }
        }
    }

    private void sequence(String parameters, char last) {
        if ((last == 'h' || last == 'l') && parameters.startsWith("?")) {
            for (var number : parameters.substring(1).split(";")) {
                mode(number, last == 'h');
            }
        } else if ((last == 'h' || last == 'l') && parameters.equals("4")) {
            inserting = last == 'h';
        } else if (last == 'r' && parameters.matches("[0-9;]*")) {
            region = parameters;
        } else if (last == 'm' && parameters.startsWith(">4")) {
            keyReports = parameters.matches(">4;[1-9]") ? parameters : "";
        } else if (last == 'p' && parameters.equals("!")) {
            boolean screen = otherScreen;
            reset();
            otherScreen = screen;
        }
    }

    private void mode(String number, boolean on) {
        if (number.equals("47") || number.equals("1047") || number.equals("1049")) {
            otherScreen = on;
        } else if (number.length() < 6 && number.matches("[0-9]+")) {
            modes.replace(Integer.parseInt(number), on);
        }
    }

    /// What makes the terminal fit for a question, whatever the program was in the middle of.
    byte[] take() {
        var out = new StringBuilder("\u0018\u001b\\"); // ends every sequence that is open
        out.append(otherScreen ? "\u001b7" : "\u001b[?1049h");
        out.append("\u001b[>0u\u001b[>4m\u001b[?2026l\u001b[4l\u001b[20l\u001b[r");
        for (var mode : Mode.values()) {
            out.append(set(mode.number, mode.needed));
        }
        // UTF-8, no line drawing, no colours, an empty screen
        return bytes(out.append("\u001b%G\u001b(B\u000f\u001b[0m\u001b[H\u001b[2J"));
    }

    /// What makes it what the program takes it for.
    byte[] giveBack() {
        var out = new StringBuilder("\u001b[0m\u001b[H\u001b[2J\u001b[<u");
        for (var mode : Mode.values()) {
            boolean was = modes.getOrDefault(mode.number, mode.byItself);
            if (was != mode.needed) {
                out.append(set(mode.number, was));
            }
        }
        out.append(keyReports.isEmpty() ? "" : "\u001b[" + keyReports + "m");
        out.append(inserting ? "\u001b[4h" : "");
        out.append(region.isEmpty() ? "" : "\u001b[" + region + "r");
        return bytes(out.append(otherScreen ? "\u001b8" : "\u001b[?1049l"));
    }

    private static String set(int mode, boolean on) {
        return "\u001b[?" + mode + (on ? 'h' : 'l');
    }

    private static byte[] bytes(StringBuilder text) {
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
