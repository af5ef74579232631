// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads JSON that somebody hostile may have written: no deeper, longer or richer than allowed, and
/// with one meaning only. What readers disagree about (a key twice, half of a surrogate pair, a
/// number that not everybody can hold) is refused.
public final class JsonReader {
    private static final int DEEPEST = 32;
    private static final int MOST_VALUES = 500_000;
    private static final int LONGEST_NUMBER = 400;

    /// The largest whole number that every reader of JSON has exactly.
    public static final long MOST = (1L << 53) - 1;

    private final String text;
    private int at;
    private int values;
    private final Numbers numbers;

    /// Which numbers there may be.
    public enum Numbers {
        /// Those that everybody has exactly; they become [Long].
        WHOLE,
        /// All; the others become [Decimal].
        ANY
    }

    /// A number that is not whole or too large, as it is written.
    public record Decimal(String text) {}

    private JsonReader(String text, Numbers numbers) {
        this.text = text;
        this.numbers = numbers;
    }

    /// Reads what is JSON beyond doubt.
    ///
    /// @param most how many bytes there may be
    /// @throws JsonException if there are more, or it is not JSON, says something twice, or holds
    /// numbers that may not be there
    public static @Nullable Object read(byte[] utf8, int most, Numbers numbers) {
        if (utf8.length > most) {
            throw new JsonException(
                    "too long: " + utf8.length + " bytes, where " + most + " are allowed");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (CharacterCodingException e) {
            throw new JsonException("not JSON: not UTF-8");
        }
        var reader = new JsonReader(text, numbers);
        var value = reader.value(0);
        reader.space();
        if (reader.at < text.length()) {
            throw reader.wrong("something follows the value");
        }
        return value;
    }

    private @Nullable Object value(int depth) {
        space();
        if (depth > DEEPEST) {
            throw wrong("nested deeper than " + DEEPEST);
        }
        if (++values > MOST_VALUES) {
            throw wrong("more than " + MOST_VALUES + " values");
        }
        return switch (peek()) {
            case '{' -> map(depth);
            case '[' -> list(depth);
            case '"' -> quoted();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
            default -> throw wrong("a value is expected");
        };
    }

    private Map<String, @Nullable Object> map(int depth) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        at++;
        space();
        if (peek() == '}') {
            at++;
            return map;
        }
        while (true) {
            space();
            if (peek() != '"') {
                throw wrong("a name in quotes is expected");
            }
            int start = at;
            String key = quoted();
            if (map.containsKey(key)) {
                at = start;
                throw wrong("a name is there twice");
            }
            space();
            expect(':');
            map.put(key, value(depth + 1));
            if (isLast('}')) {
                return map;
            }
        }
    }

    private List<@Nullable Object> list(int depth) {
        var list = new ArrayList<@Nullable Object>();
        at++;
        space();
        if (peek() == ']') {
            at++;
            return list;
        }
        while (true) {
            list.add(value(depth + 1));
            if (isLast(']')) {
                return list;
            }
        }
    }

    private boolean isLast(char end) {
        space();
        if (peek() == end) {
            at++;
            return true;
        }
        expect(',');
        return false;
    }

    private @Nullable Object word(String word, @Nullable Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("a value is expected");
        }
        at += word.length();
        return value;
    }

    private Object number() {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        int first = at;
        int length = digits();
        if (length > 1 && text.charAt(first) == '0') {
            throw wrong("not a number");
        }
        if (peek() == '.' || peek() == 'e' || peek() == 'E') {
            return fraction(start);
        }
        long number = length > 16 ? Long.MAX_VALUE : Long.parseLong(text, start, at, 10);
        if (number <= MOST && number >= -MOST) {
            return number;
        }
        if (numbers == Numbers.ANY) {
            return decimal(start);
        }
        at = start;
        throw wrong("a number is larger than " + MOST);
    }

    private int digits() {
        int start = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (at == start) {
            throw wrong("not a number");
        }
        return at - start;
    }

    private Decimal fraction(int start) {
        if (numbers == Numbers.WHOLE) {
            throw wrong("numbers must be whole here");
        }
        if (peek() == '.') {
            at++;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
        return decimal(start);
    }

    private Decimal decimal(int start) {
        if (at - start > LONGEST_NUMBER) {
            at = start;
            throw wrong("a number is too long");
        }
        return new Decimal(text.substring(start, at));
    }

    private String quoted() {
        at++;
        int start = at;
        while (peek() != '"' && peek() != '\\') {
            plain();
        }
        if (peek() == '"') {
            return text.substring(start, at++); // most have no escapes
        }
        var out = new StringBuilder(text.substring(start, at));
        while (peek() != '"') {
            if (peek() == '\\') {
                escape(out);
            } else {
                out.append(plain());
            }
        }
        at++;
        for (int i = 0; i < out.length(); i++) {
            if (Character.isHighSurrogate(out.charAt(i))
                    && i + 1 < out.length()
                    && Character.isLowSurrogate(out.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(out.charAt(i))) {
                throw wrong("half of a surrogate pair in the text before");
            }
        }
        return out.toString();
    }

    private char plain() {
        char c = peek();
        if (c < ' ') {
            throw wrong(
                    at == text.length() ? "the text is not closed" : "a bare control character");
        }
        at++;
        return c;
    }

    private void escape(StringBuilder out) {
        at++;
        char c = peek();
        at++;
        switch (c) {
            case '"', '\\', '/' -> out.append(c);
            case 'b' -> out.append('\b');
            case 'f' -> out.append('\f');
            case 'n' -> out.append('\n');
            case 'r' -> out.append('\r');
            case 't' -> out.append('\t');
            case 'u' -> out.append(unit());
            default -> {
                at--;
                throw wrong("unknown escape");
            }
        }
    }

    private char unit() {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int digit = peek() < 0x80 ? Character.digit(peek(), 16) : -1;
            if (digit < 0) {
                throw wrong("four hexadecimal digits are expected");
            }
            value = (value << 4) | digit;
            at++;
        }
        return (char) value;
    }

    private void space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            at++;
        }
    }

    private void expect(char c) {
        if (peek() != c) {
            throw wrong("`" + c + "` is expected");
        }
        at++;
    }

    /// The next character; NUL, which is nowhere allowed, at the end.
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private JsonException wrong(String what) {
        String where = at >= text.length() ? "the end" : "character " + (at + 1);
        return new JsonException("not JSON: at " + where + ": " + what);
    }
}
