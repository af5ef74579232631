// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;

/// How a program shows that it belongs to the session.
final class Token {
    private Token() {}

    /// By `Proxy-Authorization: Basic`, whoever it says it is, or `Bearer`.
    static boolean isShown(HttpRequest request, String token) {
        var values = request.headers().getAll(HttpHeaderNames.PROXY_AUTHORIZATION);
        if (values.size() != 1) {
            return false;
        }
        String value = values.getFirst();
        if (value.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return equal(value.substring(7).strip(), token);
        }
        if (!value.regionMatches(true, 0, "Basic ", 0, 6)) {
            return false;
        }
        try {
            var decoded =
                    new String(
                            Base64.getDecoder().decode(value.substring(6).strip()),
                            StandardCharsets.UTF_8);
            return equal(decoded.substring(decoded.indexOf(':') + 1), token);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /// Takes as long whichever part differs.
    static boolean equal(String shown, String token) {
        return MessageDigest.isEqual(
                shown.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
    }
}
