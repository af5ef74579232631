// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
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
    void numbers_are_no_credentials() {
        assertThat(hidden(7L)).isFalse();
        assertThat(hidden(true)).isFalse();
    }
}
