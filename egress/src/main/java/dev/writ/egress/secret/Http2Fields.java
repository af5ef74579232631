// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import io.netty.handler.codec.http2.Http2Headers;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Headers or trailers of HTTP/2. What begins with `:` is none.
public record Http2Fields(Http2Headers headers) implements Fields {
    /// The head of a request of HTTP/2.
    public static Head head(Http2Headers request) {
        return new TargetedHead(
                new Http2Fields(request),
                () -> request.path() == null ? "" : request.path().toString(),
                request::path);
    }

    @Override
    public Set<String> names() {
        return headers.names().stream()
                .map(CharSequence::toString)
                .filter(n -> !n.startsWith(":"))
                .collect(Collectors.toSet());
    }

    @Override
    public List<String> all(String name) {
        return headers.getAll(name).stream().map(CharSequence::toString).toList();
    }

    @Override
    public void set(String name, List<String> values) {
        headers.remove(name);
        values.forEach(v -> headers.add(name, v));
    }
}
