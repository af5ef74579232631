// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.json.JsonException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    /// The sorting example of RFC 8785, section 3.2.3: by 16-bit units, not by code points.
    @Test
    void canonical_names_are_in_the_order_of_the_standard() {
        var map = new LinkedHashMap<String, Object>();
        for (var name :
                List.of("\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6")) {
            map.put(name, 1);
        }

        assertThat(canonical(map))
                .isEqualTo(
                        "{\"\\r\":1,\"1\":1,\"\u0080\":1,\"\u00f6\":1,\"\u20ac\":1,\"\ud83d\ude00\":1,\"\ufb33\":1}");
    }

    @Test
    void canonical_text_escapes_only_what_it_must() {
        assertThat(canonical("\u20ac$\u000f\nA'B\"\\\"/\b\f\r\t\u007f\u2028"))
                .isEqualTo("\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\"/\\b\\f\\r\\t\u007f\u2028\"");
    }

    @Test
    void output_is_one_line_of_printable_characters() {
        assertThat(Json.write(Map.of("a", "\u001b[2J\u009b\u202e\u2028\ud83d\ude00\udc80\n")))
                .isEqualTo("{\"a\": \"\\u001b[2J\\u009b\\u202e\\u2028\\ud83d\\ude00\\udc80\\n\"}");
    }

    @Test
    void what_has_no_one_form_has_no_canonical_form() {
        for (var value : List.of(1.5, Json.MOST + 1, -Json.MOST - 1, "a\udc80", "\ud83d", 1f)) {
            assertThatThrownBy(() -> Json.canonical(value))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(canonical(List.of(Json.MOST, -Json.MOST, 0, true)))
                .isEqualTo("[9007199254740991,-9007199254740991,0,true]");
    }

    @Test
    void what_was_written_is_read_back_in_both_layouts() {
        for (int seed = 0; seed < 2000; seed++) {
            var value = value(new Random(seed), 0);
            assertThat(read(Json.write(value))).as("seed %d", seed).isEqualTo(value);
            assertThat(read(canonical(value))).as("seed %d", seed).isEqualTo(value);
            assertThat(canonical(read(Json.write(value))))
                    .as("seed %d", seed)
                    .isEqualTo(canonical(value));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[",
                "]",
                "nul",
                "truE",
                "01",
                "-",
                "1.0",
                "1e3",
                "+1",
                ".5",
                "NaN",
                "9007199254740992",
                "-9007199254740992",
                "99999999999999999999999999",
                "[1,]",
                "{\"a\":1,}",
                "{\"a\":1,\"a\":2}",
                "{\"a\":1,\"\\u0061\":2}",
                "{a:1}",
                "'a'",
                "\"a",
                "\"\\",
                "\"\\x\"",
                "\"\\u12\"",
                "\"\\u12g4\"",
                "\"\\ud800\"",
                "\"\\udc00\\ud800\"",
                "\"\\ud800\\ud800\\udc00\"",
                "\"a\nb\"",
                "\"\u0000\"",
                "\"\t\"",
                "1 2",
                "[1]x",
                "\ufeff1",
                "/**/1",
                "[1 2]",
                "{\"a\" 1}",
                "\u00a01",
                "\"\\u\uff11\uff11\uff11\uff11\""
            })
    void what_is_not_plainly_json_is_refused_with_its_place(String text) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(JsonException.class)
                .hasMessageStartingWith("not JSON: at ");
    }

    @Test
    void what_is_not_utf_8_is_refused() {
        for (var bytes :
                List.of(
                        new byte[] {'"', (byte) 0xff, '"'},
                        new byte[] {'"', (byte) 0xc0, (byte) 0x80, '"'},
                        new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'})) {
            assertThatThrownBy(() -> Json.read(bytes, 100)).hasMessage("not JSON: not UTF-8");
        }
    }

    @Test
    void depth_length_and_number_of_values_are_bounded() {
        assertThatThrownBy(() -> read("[".repeat(1_000_000)))
                .hasMessageContaining("deeper than 32");
        assertThatThrownBy(() -> read("{\"a\":".repeat(1_000_000)))
                .hasMessageContaining("deeper than 32");
        assertThatThrownBy(() -> read("[" + "0,".repeat(1_000_000) + "0]"))
                .hasMessageContaining("more than 500000 values");
        assertThatThrownBy(() -> Json.read(new byte[11], 10))
                .hasMessage("too long: 11 bytes, where 10 are allowed");
        assertThat(read("[".repeat(32) + "]".repeat(32))).isNotNull();
    }

    private static String canonical(@Nullable Object value) {
        return new String(Json.canonical(value), UTF_8);
    }

    private static @Nullable Object read(String text) {
        return Json.read(text.getBytes(UTF_8), 1 << 24);
    }

    private static @Nullable Object value(Random random, int depth) {
        return switch (random.nextInt(depth > 4 ? 5 : 7)) {
            case 0 -> null;
            case 1 -> random.nextBoolean();
            case 2 -> random.nextLong(-Json.MOST, Json.MOST + 1);
            case 3, 4 -> text(random);
            case 5 -> {
                var list = new ArrayList<@Nullable Object>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    list.add(value(random, depth + 1));
                }
                yield list;
            }
            default -> {
                var map = new LinkedHashMap<String, @Nullable Object>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    map.put(text(random), value(random, depth + 1));
                }
                yield map;
            }
        };
    }

    private static String text(Random random) {
        var out = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            int c = random.nextInt(random.nextBoolean() ? 0x80 : 0x11000);
            out.appendCodePoint(c >= 0xD800 && c <= 0xDFFF ? 0x1F600 : c);
        }
        return out.toString();
    }
}
