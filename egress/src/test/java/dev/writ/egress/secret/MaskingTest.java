// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Servers that send back what they were sent.
class MaskingTest {
    private final Safe safe = new Safe("Authorization: Bearer {}");
    private final Exchange exchange = safe.begun(new TestHead("/"));

    @Test
    void the_value_comes_back_in_no_spelling_however_it_is_cut() {
        for (var echo : spellings(Safe.VALUE)) {
            var text = "<<" + echo + ">>";
            for (int size = 1; size <= text.length(); size++) {
                assertThat(masked(exchange.masker(), text, size))
                        .as("%s in pieces of %d", echo, size)
                        .isEqualTo("<<" + "*".repeat(echo.length()) + ">>");
            }
        }
    }

    @Test
    void within_something_longer_in_base64_only_the_neighbours_are_left() {
        for (var before : List.of("user:", "user1:", "user12:")) {
            var echo = base64(before + Safe.VALUE + "xyz");
            var out = masked(exchange.masker(), echo, 7);
            assertThat(out).hasSameSizeAs(echo).contains("*".repeat(24));
            var left =
                    new String(
                            Base64.getDecoder().decode(out.replace('*', 'A')),
                            StandardCharsets.ISO_8859_1);
            assertThat(left).doesNotContain("s3cr3t", "value");
        }
    }

    @Test
    void several_times_and_overlapping() {
        var twice = new Safe("Authorization: Bearer {}", "abcabcabcabc");
        var exchange = twice.begun(new TestHead("/"));
        assertThat(masked(exchange.masker(), "abcabcabcabcabcabc-abcabcabcabc", 5))
                .isEqualTo("*".repeat(18) + "-" + "*".repeat(12));
    }

    @Test
    void what_only_begins_like_it_is_passed_on_in_the_end() {
        var masker = exchange.masker();
        var half = Safe.VALUE.substring(0, 12);
        assertThat(masker.next(bytes("x" + half))).isEqualTo(new byte[] {'x'});
        assertThat(masker.last()).isEqualTo(half.getBytes(StandardCharsets.UTF_8));
        assertThat(masker.hasMasked()).isFalse();
    }

    /// After a pause anywhere in it: no more than the first bytes get through, and the other side
    /// never waits for what was kept back.
    @Test
    void pauses_let_nothing_but_its_first_bytes_through() {
        var value = Safe.VALUE;
        for (int first = 1; first < value.length(); first++) {
            var masker = exchange.masker();
            var out = new StringBuilder();
            out.append(text(masker.next(bytes("<" + value.substring(0, first)))));
            out.append(text(masker.letGo()));
            assertThat(masker.keeps()).isFalse();
            assertThat(out).hasSize(1 + first);
            out.append(text(masker.next(bytes(value.substring(first) + ">"))));
            assertThat(out).hasSize(value.length() + 2);
            assertThat(out.toString().replaceFirst("^<.{0,3}?\\*+>$", "")).isEmpty();
        }
    }

    @Test
    void nor_does_a_server_that_sends_it_byte_by_byte() {
        var masker = exchange.masker();
        var out = new StringBuilder();
        for (var letter : Safe.VALUE.split("")) {
            out.append(text(masker.next(bytes(letter)))).append(text(masker.letGo()));
        }
        assertThat(out.toString())
                .isEqualTo(Safe.VALUE.substring(0, 3) + "*".repeat(Safe.VALUE.length() - 3));
    }

    @Test
    void what_was_let_go_and_is_no_secret_goes_on_as_it_is() {
        var masker = exchange.masker();
        String begun = "<" + Safe.VALUE.substring(0, 2);
        assertThat(text(masker.next(bytes(begun))) + text(masker.letGo())).isEqualTo(begun);
        assertThat(text(masker.next(bytes("<>")))).isEqualTo("<>");
        assertThat(masker.hasMasked()).isFalse();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /// What a program sees of a server that sends back texts of its choice, and cuts its answer
    /// behind them: how much is kept back says how much of a guess is right.
    @Test
    void nobody_finds_it_out_by_what_is_kept_back() {
        var value = "ghp_Zq81LmNcRt5Vx0YwKd7Hs3Jf9Pb2Ge4UaTo6";
        var token = new Safe("Authorization: Bearer {}", value);
        var before = token.begun(new TestHead("/"));
        var known = new StringBuilder("gh"); // as all of its sort begin
        boolean further = true;
        while (further && known.length() < value.length()) {
            further = false;
            for (char guess = ' '; guess < 127 && !further; guess++) {
                if (token.begin(new TestHead("/")) instanceof Exchange next) {
                    byte[] out = next.masker().next(bytes("<" + known + guess));
                    further = out.length == 1;
                    if (further) {
                        known.append(guess);
                    }
                }
            }
        }

        assertThat(value).startsWith(known.toString());
        assertThat(known.length()).as("some of it").isBetween(6, 14);
        assertThat(token.begin(new TestHead("/")))
                .isInstanceOfSatisfying(
                        Sending.Refused.class,
                        r -> assertThat(r.reason().code()).isEqualTo(Exchange.PROBED));
        assertThat(before.probed()).isPresent();
        assertThat(token.begin(new TestHead("/"), "else.example.com")).isInstanceOf(Exchange.class);
    }

    @Test
    void a_server_that_sends_it_back_in_two_pieces_is_no_such_attempt() {
        for (int cut = 1; cut < Safe.VALUE.length(); cut++) {
            var masker = exchange.masker();
            masker.next(bytes("<" + Safe.VALUE.substring(0, cut)));
            if (cut % 2 == 0) {
                masker.letGo();
            }
            masker.next(bytes(Safe.VALUE.substring(cut) + ">"));
        }

        assertThat(exchange.probed()).isEmpty();
    }

    @Test
    void what_cannot_be_it_is_not_kept_back() {
        assertThat(exchange.masker().next(bytes("data: hello\n\n"))).hasSize(13);
    }

    @Test
    void headers_and_reasons_do_not_have_it_either() {
        var answer =
                new TestHead(
                        "",
                        "Location: https://evil.test/?t=" + Spellings.percent(utf8(Safe.VALUE)),
                        "X-Echo: Bearer " + Safe.VALUE,
                        "ETag: abc");
        assertThat(exchange.answer(answer)).isEmpty();
        assertThat(answer.all("location").getFirst()).matches("https://evil.test/\\?t=\\*+");
        assertThat(answer.all("x-echo").getFirst()).matches("Bearer \\*{24}");
        assertThat(answer.all("etag")).containsExactly("abc");
        assertThat(exchange.mask("Bad token " + Safe.VALUE))
                .isEqualTo("Bad token " + "*".repeat(24));
    }

    @Test
    void what_cannot_be_looked_through_is_not_passed_on() {
        for (var line :
                List.of(
                        "Content-Encoding: gzip",
                        "Content-Encoding: identity, br",
                        "Content-Range: bytes 0-9/99")) {
            assertThat(exchange.answer(new TestHead("", line))).as(line).isPresent();
        }
        assertThat(exchange.answer(new TestHead("", "Content-Encoding: identity"))).isEmpty();
        var elsewhere = (Exchange) safe.begin(new TestHead("/"), "elsewhere.test");
        assertThat(elsewhere.masks()).isFalse();
        assertThat(elsewhere.answer(new TestHead("", "Content-Encoding: gzip"))).isEmpty();
    }

    /// A second opinion: the same by search and replacement in one piece.
    @Test
    void any_text_in_any_pieces_is_masked_as_in_one() {
        var random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            var value = letters(random, 8 + random.nextInt(6));
            var one = new Safe("Authorization: Bearer {}", value).begun(new TestHead("/"));
            var text = new StringBuilder();
            for (int i = 0; i < 12; i++) {
                text.append(random.nextInt(3) == 0 ? value : letters(random, random.nextInt(9)));
            }
            var masker = one.masker();
            var out = new ByteArrayOutputStream();
            for (int at = 0; at < text.length(); ) {
                int end = Math.min(text.length(), at + random.nextInt(7));
                out.writeBytes(masker.next(bytes(text.substring(at, end))));
                at = end;
            }
            out.writeBytes(masker.last());
            assertThat(out.toString(StandardCharsets.ISO_8859_1))
                    .isEqualTo(replaced(text.toString(), value));
        }
    }

    private static String replaced(String text, String value) {
        var out = new StringBuilder(text);
        for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
            out.replace(at, at + value.length(), "*".repeat(value.length()));
        }
        return out.toString();
    }

    private static String letters(Random random, int length) {
        var out = new StringBuilder();
        random.ints(length, 0, 2).forEach(i -> out.append("ab".charAt(i)));
        return out.toString();
    }

    static List<String> spellings(String value) {
        var all = new ArrayList<String>();
        all.add(value);
        all.add(URLEncoder.encode(value, StandardCharsets.UTF_8));
        all.add(URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20"));
        all.add(value.replace("\"", "\\\""));
        all.add(value.replace("\"", "\\\"").replace("/", "\\/"));
        all.add(HexFormat.of().formatHex(utf8(value)));
        all.add(base64(value));
        all.add(base64(value).replace('+', '-').replace('/', '_'));
        all.add(value.replace("&", "&amp;").replace("\"", "&quot;").replace("'", "&#39;"));
        all.addAll(spellingsOfOthers(value));
        return all;
    }

    /// As libraries write it that escape more than they have to.
    private static List<String> spellingsOfOthers(String value) {
        var percent = URLEncoder.encode(value, StandardCharsets.UTF_8);
        var json = value.replace("\"", "\\\"");
        var html = value.replace("&", "&amp;");
        return List.of(
                percent.replace("%2F", "/").replace("+", "%20"), // Python
                percent.replace("+", "%20")
                        .replace("%2B", "+")
                        .replace("%3D", "=")
                        .replace("%26", "&"),
                percent.toLowerCase(Locale.ROOT),
                json.replace("&", "\\u0026"), // Go, Rails
                json.replace("&", "\\u0026")
                        .replace("'", "\\u0027")
                        .replace("=", "\\u003d"), // Gson
                value.replace("\"", "\\u0022") // .NET
                        .replace("&", "\\u0026")
                        .replace("'", "\\u0027")
                        .replace("+", "\\u002B"),
                value.replace("\"", "\\u0022") // PHP
                        .replace("&", "\\u0026")
                        .replace("'", "\\u0027")
                        .replace("/", "\\/"),
                html.replace("\"", "&quot;").replace("'", "&#x27;"), // Python
                html.replace("\"", "&#34;").replace("'", "&#39;"), // Jinja
                html.replace("\"", "&#34;").replace("'", "&#39;").replace("+", "&#43;"), // Go
                html.replace("\"", "&quot;").replace("'", "&#x27;").replace("+", "&#x2B;"), // .NET
                html.replace("\"", "&quot;")
                        .replace("'", "&#x27;")
                        .replace("=", "&#x3D;")); // Handlebars
    }

    private static String masked(Masker masker, String text, int size) {
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i += size) {
            out.writeBytes(
                    masker.next(bytes(text.substring(i, Math.min(text.length(), i + size)))));
        }
        out.writeBytes(masker.last());
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(utf8(text));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(utf8(text));
    }
}
