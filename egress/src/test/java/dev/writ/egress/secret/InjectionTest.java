// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Scheme;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InjectionTest {
    private final Safe safe = new Safe("Authorization: Bearer {}");

    @Test
    void a_header_is_written_for_a_program_that_knows_nothing() {
        var head = new TestHead("/repos");
        assertThat(safe.begun(head).used()).containsExactly("github");
        assertThat(head.all("authorization")).containsExactly("Bearer " + Safe.VALUE);
    }

    @Test
    void what_the_program_sends_instead_is_replaced() {
        var head = new TestHead("/repos", "Authorization: Bearer mine");
        safe.begun(head);
        assertThat(head.all("authorization")).containsExactly("Bearer " + Safe.VALUE);
    }

    @Test
    void a_program_that_knows_the_placeholder_has_its_own_way() {
        var head = new TestHead("/", "Authorization: token " + safe.placeholder);
        safe.begun(head);
        assertThat(head.all("authorization")).containsExactly("token " + Safe.VALUE);
    }

    @Test
    void also_within_base64() {
        var head = new TestHead("/", "Authorization: basic " + base64("me:" + safe.placeholder));
        safe.begun(head);
        assertThat(head.all("authorization"))
                .containsExactly("Basic " + base64("me:" + Safe.VALUE));
    }

    @Test
    void basic() {
        var head = new TestHead("/");
        new Safe("basic x-access-token:{}").begun(head);
        assertThat(head.all("authorization"))
                .containsExactly("Basic " + base64("x-access-token:" + Safe.VALUE));
    }

    @Test
    void a_parameter_of_the_query_is_replaced_or_added() {
        var query = new Safe("?key={}");
        for (var target :
                List.of(
                        "/a",
                        "/a?",
                        "/a?key=",
                        "/a?key=mine&key=twice",
                        "/a?key=" + query.placeholder)) {
            var head = new TestHead(target);
            query.begun(head);
            assertThat(head.target()).isEqualTo("/a?key=ghp_s3cr3t%2F%2B%22%26%27%20value%3D42");
        }
        var head = new TestHead("/a?b=1&key=x&c=2");
        query.begun(head);
        assertThat(head.target()).matches("/a\\?b=1&key=ghp_[^&]*&c=2");
    }

    @Test
    void a_field_of_a_body_is_filled_where_the_placeholder_is_all_of_it() {
        var field = new Safe("body client_secret={}");
        assertThat(field.begun(new TestHead("/")).wantsWholeBody()).isTrue();
        assertThat(filled(field, "application/json", "{\"a\": 1,\n \"client_secret\" : \"PH\"}"))
                .isEqualTo("{\"a\": 1,\n \"client_secret\" : \"ghp_s3cr3t/+\\\"&' value=42\"}");
        assertThat(filled(field, "application/x-www-form-urlencoded", "client_secret=PH&a=b"))
                .isEqualTo("client_secret=ghp_s3cr3t%2F%2B%22%26%27%20value%3D42&a=b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"other\": \"PH\"}",
                "{\"client_secret\": \"xPH\"}",
                "{\"client_secret\": \"PH x\"}",
                "{\"note\": \"{\\\"client_secret\\\":\\\"PH\\\"}\"}",
                "{\"x\\\"client_secret\": \"PH\"}",
                "[\"PH\"]",
                "PH",
                "\"PH\"",
                "\"client_secret\":\"PH\""
            })
    void elsewhere_in_a_body_it_is_refused(String body) {
        var field = new Safe("body client_secret={}");
        var exchange = field.begun(new TestHead("/", "Content-Type: application/json"));
        var out = exchange.body(bytes(body.replace("PH", field.placeholder)));
        assertThat(new String(out, StandardCharsets.UTF_8)).doesNotContain("ghp_");
        assertThat(exchange.look(ByteBuffer.wrap(out))).isPresent();
        assertThat(exchange.used()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"xclient_secret=PH", "client_secret=PHx", "a=client_secret=PH", "a=PH"})
    void elsewhere_in_a_form_it_is_refused(String body) {
        var field = new Safe("body client_secret={}");
        var head = new TestHead("/", "Content-Type: application/x-www-form-urlencoded");
        var exchange = field.begun(head);
        var out = exchange.body(bytes(body.replace("PH", field.placeholder)));
        assertThat(exchange.look(ByteBuffer.wrap(out))).isPresent();
    }

    @Test
    void a_body_of_another_kind_stays_as_it_is() {
        var field = new Safe("body client_secret={}");
        assertThat(filled(field, "text/plain", "client_secret=PH")).contains("writ-secret-");
    }

    @Test
    void of_two_for_one_place_the_one_that_is_asked_for_is_taken() {
        var reader = new SecretReader(Map.of("A", "value of a", "B", "value of b"));
        var secrets =
                Secrets.read(
                        List.of(
                                Safe.definition("github", "Authorization: Bearer {}", "A"),
                                Safe.definition("github", "basic me:{}", "B")),
                        reader);
        var policy = Policy.of(Scope.SPELLED_OUT, List.of(), List.of());
        var known = secrets.environment(policy, Map.of());
        for (var variable : List.of("A", "B")) {
            var head = new TestHead("/", "Authorization: token " + known.get(variable));
            secrets.begin(head, Scheme.HTTPS, Safe.host("api.example.com"), 443, Set.of("github"));
            assertThat(head.all("authorization"))
                    .containsExactly("token value of " + variable.toLowerCase(Locale.ROOT));
        }
        var head = new TestHead("/");
        secrets.begin(head, Scheme.HTTPS, Safe.host("api.example.com"), 443, Set.of("github"));
        assertThat(head.all("authorization")).containsExactly("Bearer value of a");
    }

    @Test
    void another_destination_gets_nothing() {
        var head = new TestHead("/");
        for (var host : List.of("example.com", "api.example.com.evil.test", "xapi.example.com")) {
            assertThat(((Exchange) safe.begin(head, host)).used()).isEmpty();
        }
        assertThat(head.names()).isEmpty();
        for (var sending :
                List.of(
                        safe.secrets.begin(
                                head,
                                Scheme.HTTPS,
                                Safe.host("api.example.com"),
                                8443,
                                Set.of("github")),
                        safe.secrets.begin(
                                head,
                                Scheme.HTTP,
                                Safe.host("api.example.com"),
                                443,
                                Set.of("github")))) {
            assertThat(((Exchange) sending).used()).isEmpty();
        }
        assertThat(head.names()).isEmpty();
    }

    @Test
    void a_secret_that_may_not_be_used_is_not() {
        var head = new TestHead("/", "Authorization: Bearer mine");
        var sending =
                safe.secrets.begin(head, Scheme.HTTPS, Safe.host("api.example.com"), 443, Set.of());
        assertThat(((Exchange) sending).used()).isEmpty();
        assertThat(head.all("authorization")).containsExactly("Bearer mine");

        var knowing = new TestHead("/", "Authorization: Bearer " + safe.placeholder);
        assertThat(
                        safe.secrets.begin(
                                knowing, Scheme.HTTPS, Safe.host("api.example.com"), 443, Set.of()))
                .isInstanceOf(Sending.Refused.class);
    }

    @Test
    void a_socket_that_begins_as_a_request_is_the_same_destination() {
        assertThat(safe.secrets.uses(Scheme.WSS, Safe.host("api.example.com"), 443)).hasSize(1);
        assertThat(safe.secrets.uses(Scheme.WS, Safe.host("api.example.com"), 443)).isEmpty();
    }

    @Test
    void what_would_hide_the_value_in_an_answer_is_not_asked_for() {
        var head =
                new TestHead(
                        "/",
                        "Accept-Encoding: gzip, br",
                        "Range: bytes=0-9",
                        "If-Range: x",
                        "TE: gzip",
                        "Sec-WebSocket-Extensions: permessage-deflate");
        safe.begun(head);
        assertThat(head.names()).containsExactlyInAnyOrder("authorization", "accept-encoding");
        assertThat(head.all("accept-encoding")).containsExactly("identity");
    }

    private static String filled(Safe safe, String type, String body) {
        var exchange = safe.begun(new TestHead("/", "Content-Type: " + type));
        return new String(
                exchange.body(bytes(body.replace("PH", safe.placeholder))), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(bytes(text));
    }
}
