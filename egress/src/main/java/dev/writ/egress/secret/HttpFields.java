// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// Headers or trailers of HTTP/1.1.
public record HttpFields(HttpHeaders headers) implements Fields {
    /// The head of a request of HTTP/1.1, whose target has to be a path.
    public static Head head(HttpRequest request) {
        var fields = new HttpFields(request.headers());
        return new TargetedHead(fields, request::uri, request::setUri);
    }

    @Override
    public Set<String> names() {
        return headers.names().stream()
                .map(n -> n.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    @Override
    public List<String> all(String name) {
        return headers.getAll(name);
    }

    @Override
    public void set(String name, List<String> values) {
        if (values.isEmpty()) {
            headers.remove(name);
        } else {
            headers.set(name, values);
        }
    }
}
