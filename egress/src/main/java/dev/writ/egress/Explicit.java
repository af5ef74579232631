// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.net.InetSocketAddress;
import java.util.Map;

/// A proxy for programs that are told to use one.
///
/// @param token whoever shows it is of this session
public record Explicit(InetSocketAddress address, String token) {
    private static final String USER = "writ";

    /// What tells most programs to use it.
    public Map<String, String> variables() {
        String at =
                USER
                        + ":"
                        + token
                        + "@"
                        + address.getAddress().getHostAddress()
                        + ":"
                        + address.getPort();
        return Map.of(
                "HTTP_PROXY", "http://" + at,
                "HTTPS_PROXY", "http://" + at,
                "ALL_PROXY", "socks5h://" + at,
                "http_proxy", "http://" + at,
                "https_proxy", "http://" + at,
                "all_proxy", "socks5h://" + at);
    }

    /// It is a secret.
    @Override
    public String toString() {
        return "Explicit[" + address + "]";
    }
}
