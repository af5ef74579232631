// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Locale;

/// Ways to say who one is that hold for a whole connection, although HTTP knows no such thing.
final class Authentication {
    private static final List<String> OF_CONNECTIONS = List.of("ntlm", "negotiate");

    private Authentication() {}

    /// Whether the server may from now on take the connection for somebody's: it wants to know
    /// whose it is, or was told.
    static boolean isOfConnection(HttpRequest sent, int status) {
        return status == HttpResponseStatus.UNAUTHORIZED.code()
                || sent.headers().getAll(HttpHeaderNames.AUTHORIZATION).stream()
                        .map(value -> value.strip().toLowerCase(Locale.ROOT))
                        .anyMatch(value -> OF_CONNECTIONS.stream().anyMatch(value::startsWith));
    }
}
