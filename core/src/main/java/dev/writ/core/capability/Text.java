// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntPredicate;

/// Text as a person sees it. Names come from an attacker: nothing in them may move a cursor,
/// reverse a line or hide.
public final class Text {
    private static final int RAW = 0xDC00;

    private Text() {}

    /// `text` with every invisible or cursor-moving character written as `\\u{HEX}`.
    public static String shown(String text) {
        if (isPlain(text) || text.codePoints().allMatch(Text::isVisible)) {
            return text;
        }
        var out = new StringBuilder(text.length() + 16);
        text.codePoints()
                .forEach(
                        c -> {
                            if (isVisible(c)) {
                                out.appendCodePoint(c);
                            } else {
                                out.append("\\u{").append(Integer.toHexString(c)).append('}');
                            }
                        });
        return out.toString();
    }

    /// What the system has as bytes, as text: a byte that is not UTF-8 becomes a lone surrogate,
    /// U+DC80 to U+DCFF. So nothing is lost, and two different names stay different.
    public static String of(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.indexOf('\uFFFD') < 0 ? text : decode(ByteBuffer.wrap(bytes));
    }

    private static String decode(ByteBuffer in) {
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var out = CharBuffer.allocate(in.remaining());
        while (true) {
            var result = decoder.decode(in, out, true);
            if (!result.isError()) {
                return out.flip().toString();
            }
            for (int i = 0; i < result.length(); i++) {
                out.put((char) (RAW + (in.get() & 0xff)));
            }
            decoder.reset();
        }
    }

    /// The bytes of `text` as the system has them: a lone surrogate U+DC80 to U+DCFF stands for a
    /// byte that is not UTF-8. Other lone surrogates, which no name can hold, keep to themselves.
    public static byte[] bytes(String text) {
        byte[] out = new byte[3 * text.length()]; // the most that UTF-8 takes for a char
        int n = 0;
        for (int i = 0; i < text.length(); i++) {
            int c = text.codePointAt(i);
            if (c >= RAW + 0x80 && c <= RAW + 0xff) {
                out[n++] = (byte) (c - RAW);
            } else if (c < 0x80) {
                out[n++] = (byte) c;
            } else {
                int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
                out[n++] = (byte) ((0xFF80 >> more) | (c >> (6 * more)));
                for (int rest = more - 1; rest >= 0; rest--) {
                    out[n++] = (byte) (0x80 | ((c >> (6 * rest)) & 0x3F));
                }
                i += more == 3 ? 1 : 0;
            }
        }
        return Arrays.copyOf(out, n);
    }

    /// Whether it is ASCII that can be seen: most is, and that is quickly said.
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }

    /// Whether all of `text` is so. A stream over it would take longer than all the rest.
    public static boolean isAll(String text, IntPredicate so) {
        for (int i = 0; i < text.length(); i++) {
            if (!so.test(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isLower(int c) {
        return c >= 'a' && c <= 'z';
    }

    static boolean isUpper(int c) {
        return c >= 'A' && c <= 'Z';
    }

    /// An ASCII letter or digit.
    static boolean isPlain(int c) {
        return isDigit(c) || isLower(c) || isUpper(c);
    }

    static boolean isControl(int c) {
        return Character.getType(c) == Character.CONTROL;
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> !isDefaultIgnorable(c);
        };
    }

    /// Characters that draw nothing although they count as letters or marks.
    private static boolean isDefaultIgnorable(int c) {
        return c == 0x034F
                || c == 0x115F
                || c == 0x1160
                || c == 0x17B4
                || c == 0x17B5
                || c == 0x3164
                || c == 0xFFA0
                || (c >= 0x180B && c <= 0x180F)
                || (c >= 0xFE00 && c <= 0xFE0F)
                || (c >= 0xE0000 && c <= 0xE0FFF);
    }
}
