// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/// Headers that are meant for the next one on the way only (RFC 9110, 7.6.1).
final class HopByHop {
    private static final Set<String> NAMES =
            Set.of(
                    "connection",
                    "keep-alive",
                    "proxy-connection",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade",
                    "http2-settings",
                    "host");

    private HopByHop() {}

    /// Copies what goes further. Who a request is for is not copied, but said anew.
    static void copy(HttpHeaders from, HttpHeaders to) {
        var named = new HashSet<String>();
        for (var value : from.getAll(HttpHeaderNames.CONNECTION)) {
            for (var word : value.split(",")) {
                named.add(word.strip().toLowerCase(Locale.ROOT));
            }
        }
        // The length is not up to whoever names it there.
        named.remove("content-length");
        for (var header : from) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!NAMES.contains(name) && !named.contains(name)) {
                to.add(header.getKey(), header.getValue());
            }
        }
    }
}
