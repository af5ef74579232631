// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
    /// A second opinion, which takes its time.
    private static final String NAMES =
            "(?:token|secret|passw(?:or)?d|pwd|api[_-]?key|access[_-]?key|private[_-]?key"
                    + "|credentials?|signature)";
    private static final Pattern LOOKS_LIKE_ONE =
            Pattern.compile(
                    "authorization\\s*:|cookie\\s*:|(?:api-key|auth-token)\\s*:"
                            + "|\\b(?:bearer|basic)\\s+[\\w+/=.~-]{8}"
                            + "|://[^/\\s:@]*:[^/\\s@]+@"
                            + "|"
                            + NAMES
                            + "=\\S"
                            + "|(?<![\\w-])--[\\w-]*"
                            + NAMES
                            + "\\s+\\S"
                            + "|\\b(?:gh[opsu]_|github_pat_|glpat-|xox[abprs]-|sk-|akia|eyj)[\\w-]{12}"
                            + "|-----BEGIN [A-Z ]*PRIVATE KEY",
                    Pattern.CASE_INSENSITIVE);

    private static boolean hidden(Object value) {
        return new Credentials().hides(EventKind.STARTED, "command", value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "curl -H Authorization: Bearer x1 https://a.example",
                "curl -H 'x-api-key: 12' https://a.example",
                "git clone https://anna:hunter2@git.example/r",
                "psql postgres://:pw@db.example/x",
                "GET /a?access_token=abc",
                "env DB_PASSWORD=hunter2 make",
                "login --password hunter2",
                "login --my-very---own-password hunter2",
                "login --api-key=hunter2",
                "echo ghp_0123456789abcdef0123456789abcdef0123",
                "echo -----BEGIN OPENSSH PRIVATE KEY-----",
            })
    void what_looks_like_a_credential_is_hidden(String text) {
        assertThat(hidden(text)).isTrue();
        assertThat(hidden(List.of((Object[]) text.split(" ")))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "git push origin main",
                "exec:/usr/bin/python3 -m pytest tests/test_token.py",
                "read:/project/src/password.py",
                "curl https://a.example:8443/x@y",
                "make -j4 V=1",
                "ssh anna@host.example",
                "basic usage",
            })
    void what_does_not_stays_readable(String text) {
        assertThat(hidden(text)).isFalse();
    }

    @Test
    void a_pattern_says_the_same() {
        var parts =
                List.of(
                        "authorization",
                        "Cookie",
                        "API-key",
                        "auth-token",
                        " ",
                        "\t",
                        ":",
                        "basic",
                        "Bearer",
                        "://",
                        "/",
                        "@",
                        "=",
                        "--",
                        "-",
                        "token",
                        "pass",
                        "word",
                        "wd",
                        "p",
                        "d",
                        "or",
                        "api",
                        "_",
                        "key",
                        "private",
                        "credential",
                        "s",
                        "signature",
                        "ghp_",
                        "github_pat_",
                        "glpat-",
                        "xoxb-",
                        "sk-",
                        "AKIA",
                        "eyJ",
                        "0123456789ab",
                        "x",
                        "é",
                        "-----BEGIN ",
                        "PRIVATE KEY",
                        "A ",
                        "~",
                        ".",
                        "\u2028");
        var random = new Random(7);
        int hidden = 0;
        for (int i = 0; i < 300_000; i++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(7); n >= 0; n--) {
                text.append(parts.get(random.nextInt(parts.size())));
            }
            boolean expected = LOOKS_LIKE_ONE.matcher(text).find();
            hidden += expected ? 1 : 0;
            assertThat(hidden(text.toString())).as("%s", text).isEqualTo(expected);
        }
        assertThat(hidden).isBetween(20_000, 250_000);
    }

    /// An agent chooses its words, and whoever judges them must not be held up.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-",
                "--",
                "--a",
                "--a ",
                "token",
                "token ",
                "--token",
                "://",
                "://a:",
                "basic ",
                "bearer a",
                "authorization ",
                "-----BEGIN ",
                "-----BEGIN PRIVATE ",
                "PRIVATE KEY",
                "sk-",
                "eyj",
                " ",
                "\n",
                "=",
                ":@"
            })
    void a_long_word_is_looked_at_as_fast_as_many_short_ones(String part) {
        String text = part.repeat(2_000_000 / part.length());

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> hidden(text));
        assertThat(hidden(text + " --password hunter2")).isTrue();
    }

    @Test
    void numbers_are_no_credentials() {
        assertThat(hidden(7L)).isFalse();
        assertThat(hidden(true)).isFalse();
    }
}
