// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What stands for a secret is sent elsewhere.
class MisplacedTest {
    private final Safe safe = new Safe("Authorization: Bearer {}");

    @Test
    void in_any_part_of_a_request_to_another_host() {
        String p = safe.placeholder;
        var heads =
                List.of(
                        new TestHead("/", "Authorization: Bearer " + p),
                        new TestHead("/", "Authorization: Basic " + base64("me:" + p)),
                        new TestHead("/", "Cookie: a=b; token=" + p),
                        new TestHead("/", "X-" + p + ": y"),
                        new TestHead("/" + p + "/x"),
                        new TestHead("/x?token=" + p),
                        new TestHead("/x?token=" + everyByteEscaped(p)),
                        new TestHead("/x?token=" + everyByteEscaped(p).replace("%", "%25")),
                        new TestHead("/x?token=" + base64("a" + p)));
        for (var head : heads) {
            assertThat(safe.begin(head, "evil.test"))
                    .isInstanceOfSatisfying(
                            Sending.Refused.class,
                            r -> {
                                assertThat(r.secret()).isEqualTo("github");
                                assertThat(r.reason().line())
                                        .contains("`github`", "https://api.example.com only")
                                        .doesNotContain("ghp_", p);
                            });
        }
        assertThat(safe.begin(new TestHead("/", "Authorization: Bearer x"), "evil.test"))
                .isInstanceOf(Exchange.class);
    }

    /// Or the agent could have the value published at its own destination.
    @Test
    void in_another_part_of_a_request_to_its_host() {
        String p = safe.placeholder;
        for (var head :
                List.of(
                        new TestHead("/" + p),
                        new TestHead("/x?y=" + p),
                        new TestHead("/", "User-Agent: " + p),
                        new TestHead("/", "X-Api-Key: " + p))) {
            assertThat(safe.begin(head))
                    .isInstanceOfSatisfying(
                            Sending.Refused.class,
                            r ->
                                    assertThat(r.reason().sentence())
                                            .contains("in another place than"));
        }
        var exchange = safe.begun(new TestHead("/"));
        assertThat(exchange.look(bytes("{\"body\": \"" + p + "\"}"))).isPresent();
    }

    @Test
    void in_a_body_however_it_is_cut() {
        var text = "{\"note\": \"" + safe.placeholder + "\"}";
        for (int size = 1; size < text.length(); size++) {
            var exchange = (Exchange) safe.begin(new TestHead("/"), "evil.test");
            Optional<Sending.Refused> found = Optional.empty();
            for (int i = 0; i < text.length() && found.isEmpty(); i += size) {
                found = exchange.look(bytes(text.substring(i, Math.min(text.length(), i + size))));
            }
            assertThat(found).as("pieces of %d", size).isPresent();
        }
    }

    @Test
    void in_a_body_as_base64_at_any_place() {
        for (var before : List.of("", "a", "ab", "abc")) {
            var exchange = (Exchange) safe.begin(new TestHead("/"), "evil.test");
            assertThat(exchange.look(bytes(base64(before + safe.placeholder + "z")))).isPresent();
        }
    }

    @Test
    void nearly_the_same_is_nothing() {
        String p = safe.placeholder;
        var other = new Safe("Authorization: Bearer {}").placeholder;
        assertThat(other).isNotEqualTo(p);
        for (var text : List.of(p.substring(1), p.substring(0, p.length() - 1), other)) {
            var exchange = (Exchange) safe.begin(new TestHead("/"), "evil.test");
            assertThat(exchange.look(bytes(text))).isEmpty();
        }
    }

    private static String everyByteEscaped(String text) {
        var out = new StringBuilder();
        text.chars().forEach(c -> out.append(String.format("%%%02x", c)));
        return out.toString();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
