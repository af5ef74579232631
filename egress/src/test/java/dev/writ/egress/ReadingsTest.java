// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Paths with an encoded slash, which is a slash to some servers and part of a name to others, or
/// with parameters, which some servers take off: whatever it is, it has to be permitted.
class ReadingsTest {
    private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright";

    private static String ask(Scripted server, String rules, String path) {
        String here = "http://127.0.0.1:" + server.port();
        try (var stage = new Stage(rules.replace("HERE", here).split(", "))) {
            return stage.ask(
                    "GET %s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
                            .formatted(here, path, server.port()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/@types%2fnode, /@types%2Fnode",
        "/v1/group%2Fpart%2fname/files, /v1/group%2Fpart%2Fname/files",
        "/a%2Fb/, /a%2Fb/",
        "/a%2F, /a%2F",
        "/a%2fb?to=%2f%252F, /a%2Fb?to=/%252F",
        "/%61%2Fb, /a%2Fb",
        "/a%252Fb, /a%252Fb",
        "/100%25, /100%25",
        "/100%25/b, /100%25/b",
        "/100%25%20of, /100%25%20of",
        "/%25zz, /%25zz",
        "/a%2520b, /a%2520b",
        "/a%25252Fb, /a%25252Fb",
        "/a;b=c/d, /a;b=c/d",
        "/a%3Bb, /a;b",
        "/a;b%2Fc, /a;b%2Fc",
        "/a?b;c, /a?b;c",
    })
    void it_goes_on_as_it_is_where_both_are_permitted(String path, String sent) throws IOException {
        try (var server = new Scripted(_ -> ANSWER)) {
            assertThat(ask(server, "allow net:GET=HERE/**", path)).endsWith("right");
            assertThat(server.heard()).containsExactly("1 GET " + sent);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "allow net:GET=HERE/v1/* | /v1/a%2Fb",
                "allow net:GET=HERE/v1/* | /v1%2Fa",
                "allow net:GET=HERE/v1/** | /v1%2Fa/b",
                "allow net:GET=HERE/*/b | /a%2Fb",
                "allow net:GET=HERE/a/b | /a%2Fb",
                "allow net:GET=HERE/a%252Fb | /a%2Fb",
                "allow net:GET=HERE/**, deny net:GET=HERE/@own/** | /@own%2fsecret",
                "allow net:GET=HERE/**, deny net:GET=HERE/*/secret | /@own%2fsecret",
                "allow net:GET=HERE/**, deny net:GET=HERE/@own* | /@own%2fsecret",
                "allow net:GET=HERE/v1/* | /v1/a%252Fb",
                "allow net:GET=HERE/v1/* | /v1/a%25252fb",
                "allow net:GET=HERE/v1* | /v1%252Fa",
                "allow net:GET=HERE/**, deny net:GET=HERE/admin | /%2561dmin",
                "allow net:GET=HERE/**, deny net:GET=HERE/admin/** | /admin%252Fsecret",
                "allow net:GET=HERE/**, deny net:GET=HERE/admin | /admin;x=1",
                "allow net:GET=HERE/**, deny net:GET=HERE/admin | /admin;",
                "allow net:GET=HERE/**, deny net:GET=HERE/admin | /admin%3bx",
                "allow net:GET=HERE/**, deny net:GET=HERE/admin | /admin%253Bx",
                "allow net:GET=HERE/**, deny net:GET=HERE/admin/** | /admin;x/secret",
                "allow net:GET=HERE/**, deny net:GET=HERE/admin/secret | /admin;x%2Fsecret",
                "allow net:GET=HERE/a;b | /a;b",
            })
    void it_goes_no_further_where_one_is_not(String rules, String path) throws IOException {
        try (var server = new Scripted(_ -> ANSWER)) {
            assertThat(ask(server, rules, path)).startsWith("HTTP/1.1 403");
            assertThat(server.heard()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/..%2fadmin",
                "/v1%2f..%2fadmin",
                "/v1%2f%2e%2e%2fadmin",
                "/v1%2f..;x%2fadmin",
                "/%2fadmin",
                "/v1/%2f",
                "/v1%2f/admin",
                "/v1%2f%2fadmin",
                "/v1%2f%252e%252e",
                "/v1%2f..%5cadmin",
                "/v1%2f%00",
                "/v1/%252e%252e/admin",
                "/v1/%252E%252E%252Fadmin",
                "/v1/%25252e%25252e/admin",
                "/v1/.%252e/admin",
                "/v1/%252e%252e;x/admin",
                "/v1/%255cadmin",
                "/v1/%2500",
                "/v1/;x/admin",
                "/;/admin",
                "/v1/%2525252525252525252525252525252541",
            })
    void what_has_no_meaning_in_one_of_them_is_refused(String path) throws IOException {
        try (var server = new Scripted(_ -> ANSWER)) {
            assertThat(ask(server, "allow net:GET=HERE/**", path)).startsWith("HTTP/1.1 400");
            assertThat(server.heard()).isEmpty();
        }
    }
}
