// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// How a destination is spoken to.
public enum Scheme {
    HTTPS(443),
    HTTP(80),
    WSS(443),
    WS(80),
    TCP(0),
    UDP(0);

    private final String word = name().toLowerCase(Locale.ROOT);
    private final int port;

    Scheme(int port) {
        this.port = port;
    }

    public String word() {
        return word;
    }

    /// The usual port; 0 if there is none.
    public int port() {
        return port;
    }

    public boolean isHttp() {
        return this == HTTP || this == HTTPS;
    }

    public boolean isWebSocket() {
        return this == WS || this == WSS;
    }

    /// Whether requests are made of it, rather than bytes.
    public boolean isRequest() {
        return isHttp() || isWebSocket();
    }

    /// The WebSocket scheme that an HTTP connection can turn into.
    Scheme webSocket() {
        return this == HTTPS ? WSS : WS;
    }

    static Scheme parse(String word, int offset) {
        var words = Arrays.stream(values()).map(Scheme::word).toList();
        int at = words.indexOf(word);
        if (at < 0) {
            String nearest = Nearest.suggestion(word.toLowerCase(Locale.ROOT), words);
            throw SyntaxException.at(
                    offset,
                    "unknown scheme `" + Text.shown(word) + "`",
                    nearest.isEmpty() ? "the schemes are " + String.join(", ", words) : nearest);
        }
        return values()[at];
    }

    static List<Scheme> requests() {
        return List.of(HTTPS, HTTP, WSS, WS);
    }
}
