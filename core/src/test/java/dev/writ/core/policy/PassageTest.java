// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Secret;
import dev.writ.core.capability.SecretForm;
import dev.writ.core.capability.SecretSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PassageTest {
    private static final Scope SCOPE =
            new Scope(FilePath.of("/project"), FilePath.of("/home/op"), List.of());

    private static Rule rule(String text) {
        int at = text.indexOf(' ');
        var effect = Effect.valueOf(text.substring(0, at).toUpperCase(Locale.ROOT));
        String capability = text.substring(at + 1);
        return new Rule(effect, Capability.parse(capability, SCOPE), capability, Source.of("test"));
    }

    private static Policy policy(String... rules) {
        return Policy.of(SCOPE, Arrays.stream(rules).map(PassageTest::rule).toList(), List.of());
    }

    private static Passage passage(Policy policy, String host, int port) {
        return Passage.of(policy, Host.parseLoose(host, 0), port);
    }

    @Test
    void what_a_rule_says_of_a_destination_is_all_that_it_may_be_used_for() {
        var policy =
                policy(
                        "allow net:db.test:5432",
                        "allow net:allow=https://api.test",
                        "allow net:allow=http://plain.test",
                        "allow net:GET=https://repos.test/a/**",
                        "allow net:wss://talk.test",
                        "ask net:late.test:22",
                        "allow net:127.0.0.1:9000");

        assertThat(passage(policy, "db.test", 5432)).isEqualTo(Passage.ANYTHING);
        assertThat(passage(policy, "db.test", 443)).isEqualTo(Passage.CLOSED);
        assertThat(passage(policy, "api.test", 443)).isEqualTo(Passage.TLS);
        assertThat(passage(policy, "api.test", 80)).isEqualTo(Passage.CLOSED);
        assertThat(passage(policy, "plain.test", 80)).isEqualTo(Passage.REQUESTS);
        assertThat(passage(policy, "repos.test", 443)).isEqualTo(Passage.REQUESTS);
        assertThat(passage(policy, "talk.test", 443)).isEqualTo(Passage.REQUESTS);
        assertThat(passage(policy, "late.test", 22)).isEqualTo(Passage.ANYTHING);
        assertThat(passage(policy, "127.0.0.1", 9000)).isEqualTo(Passage.ANYTHING);
        assertThat(passage(policy, "127.0.0.1", 9001)).isEqualTo(Passage.CLOSED);
        assertThat(passage(policy, "x.api.test", 443)).isEqualTo(Passage.CLOSED);
        assertThat(passage(policy(), "api.test", 443)).isEqualTo(Passage.CLOSED);
    }

    @Test
    void somebody_looks_into_tls_only_where_a_rule_wants_it() {
        assertThat(Passage.looksIntoTls(policy("allow net:GET=https://api.test/a"))).isTrue();
        assertThat(Passage.looksIntoTls(policy("ask net:wss://api.test"))).isTrue();
        assertThat(
                        Passage.looksIntoTls(
                                policy(
                                        "allow net:allow=https://api.test",
                                        "deny net:DELETE=https://api.test/**")))
                .isTrue();
        assertThat(
                        Passage.looksIntoTls(
                                policy(
                                        "allow net:allow=https://api.test",
                                        "allow net:GET=http://plain.test/a",
                                        "allow net:db.test:5432",
                                        "deny net:allow=https://evil.test")))
                .isFalse();
        assertThat(Passage.looksIntoTls(policy("deny net:GET=https://api.test/a"))).isFalse();
    }

    @Test
    void a_deny_of_some_requests_makes_all_of_them_looked_at() {
        var policy =
                policy("allow net:allow=https://api.test", "deny net:DELETE=https://api.test/**");

        assertThat(passage(policy, "api.test", 443)).isEqualTo(Passage.REQUESTS);
    }

    @Test
    void a_secret_makes_them_looked_at_too() {
        var secret = (Secret) Capability.parse("secret:key@https://api.test", SCOPE);
        var policy =
                Policy.of(
                        SCOPE,
                        List.of(rule("allow net:allow=https://api.test")),
                        List.of(),
                        List.of(
                                new SecretDefinition(
                                        new SecretSource.Variable("KEY"),
                                        secret,
                                        SecretForm.parse("X-Key: {}"),
                                        Optional.empty())),
                        new Isolation.Auto(),
                        _ -> List.of());

        assertThat(passage(policy, "api.test", 443)).isEqualTo(Passage.REQUESTS);
    }

    @Test
    void names_are_known_where_some_rule_leads_to_them() {
        var policy =
                policy(
                        "allow net:GET=https://*.repos.test/a",
                        "allow net:udp://time.test:123",
                        "ask net:late.test:22",
                        "deny net:evil.test");

        assertThat(Passage.leadsTo(policy, Host.parse("a.repos.test", 0))).isTrue();
        assertThat(Passage.leadsTo(policy, Host.parse("time.test", 0))).isTrue();
        assertThat(Passage.leadsTo(policy, Host.parse("late.test", 0))).isTrue();
        assertThat(Passage.leadsTo(policy, Host.parse("repos.test", 0))).isFalse();
        assertThat(Passage.leadsTo(policy, Host.parse("evil.test", 0))).isFalse();
        assertThat(Passage.leadsTo(policy, Host.parse("x.time.test", 0))).isFalse();
        assertThat(Passage.leadsTo(policy("allow net:*"), Host.parse("localhost", 0))).isFalse();
    }
}
