// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Scheme;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The same in both protocols.
class WireTest {
    private final Safe safe = new Safe("Authorization: Bearer {}");

    @Test
    void http_1() {
        var request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/a?b");
        request.headers()
                .add("AUTHORIZATION", "token " + safe.placeholder)
                .add("Range", "bytes=1-");
        assertThat(begin(HttpFields.head(request))).isInstanceOf(Exchange.class);
        assertThat(request.headers().getAll("authorization"))
                .containsExactly("token " + Safe.VALUE);
        assertThat(request.headers().contains("range")).isFalse();

        var other =
                new DefaultHttpRequest(
                        HttpVersion.HTTP_1_1, HttpMethod.GET, "/" + safe.placeholder);
        assertThat(begin(HttpFields.head(other))).isInstanceOf(Sending.Refused.class);
    }

    @Test
    void http_2() {
        var request =
                new DefaultHttp2Headers().method("GET").path("/a").authority("api.example.com");
        request.add("authorization", "token " + safe.placeholder).add("range", "bytes=1-");
        var exchange = begin(Http2Fields.head(request));
        assertThat(exchange).isInstanceOf(Exchange.class);
        assertThat(request.get("authorization")).hasToString("token " + Safe.VALUE);
        assertThat(request.contains("range")).isFalse();
        assertThat(request.path()).hasToString("/a");

        var trailers = new DefaultHttp2Headers().add("grpc-message", "bad " + Safe.VALUE);
        ((Exchange) exchange).mask(new Http2Fields(trailers));
        assertThat(trailers.get("grpc-message")).hasToString("bad " + "*".repeat(24));

        var query = new Safe("?key={}");
        var target = new DefaultHttp2Headers().path("/a");
        query.secrets.begin(
                Http2Fields.head(target),
                Scheme.HTTPS,
                Safe.host("api.example.com"),
                443,
                Set.of("github"));
        assertThat(target.path().toString()).startsWith("/a?key=ghp_");

        var other = new DefaultHttp2Headers().path("/" + safe.placeholder);
        assertThat(begin(Http2Fields.head(other))).isInstanceOf(Sending.Refused.class);
    }

    private Sending begin(Head head) {
        return safe.secrets.begin(
                head, Scheme.HTTPS, Safe.host("api.example.com"), 443, Set.of("github"));
    }
}
