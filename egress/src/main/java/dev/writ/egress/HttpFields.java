// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.egress.secret.Fields;
import dev.writ.egress.secret.Head;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// Headers or trailers.
class HttpFields implements Fields {
    private final HttpHeaders headers;

    HttpFields(HttpHeaders headers) {
        this.headers = headers;
    }

    /// The head of a request, whose target has to be a path.
    static final class OfRequest extends HttpFields implements Head {
        private final HttpRequest request;

        OfRequest(HttpRequest request) {
            super(request.headers());
            this.request = request;
        }

        @Override
        public String target() {
            return request.uri();
        }

        @Override
        public void target(String target) {
            request.setUri(target);
        }
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
