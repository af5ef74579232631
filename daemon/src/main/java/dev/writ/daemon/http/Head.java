// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The head of a request, which has one meaning or is refused.
///
/// @param target the path and the query, as they came
/// @param fields by their names in lower case; of one that came more than once, the last
public record Head(String method, String target, Map<String, String> fields) {
    private static final int MOST_FIELDS = 64;
    private static final Set<String> METHODS =
            Set.of("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS");
    private static final String TOKEN = "!#$%&'*+-.^_`|~";

    /// What nobody sends twice for a good reason.
    private static final Set<String> ONCE =
            Set.of(
                    "host",
                    "content-length",
                    "content-type",
                    "transfer-encoding",
                    "authorization",
                    "origin",
                    "connection",
                    "expect");

    public Head {
        fields = Map.copyOf(fields);
    }

    /// @param bytes all up to the empty line, without it
    static Head parse(byte[] bytes, int length) throws HttpException {
        var lines = List.of(new String(bytes, 0, length, ISO_8859_1).split("\r\n", -1));
        var words = lines.getFirst().split(" ", -1);
        if (words.length != 3 || !METHODS.contains(words[0])) {
            throw new HttpException(400, "not a request line of HTTP/1.1");
        }
        if (!words[2].equals("HTTP/1.1")) {
            throw new HttpException(505, "only HTTP/1.1 is spoken here");
        }
        if (!words[1].startsWith("/") || !isVisible(words[1])) {
            throw new HttpException(400, "the target must be a path");
        }
        var fields = new HashMap<String, String>();
        if (lines.size() > MOST_FIELDS) {
            throw new HttpException(431, "more than " + MOST_FIELDS + " header fields");
        }
        var seen = new HashSet<String>();
        for (var line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            if (colon <= 0 || !isToken(line, colon) || !isText(line)) {
                throw new HttpException(400, "not a header field");
            }
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            if (!seen.add(name) && ONCE.contains(name)) {
                throw new HttpException(400, "`" + name + "` came twice");
            }
            fields.put(name, line.substring(colon + 1).strip());
        }
        if (!fields.containsKey("host")) {
            throw new HttpException(400, "`host` is missing");
        }
        return new Head(words[0], words[1], fields);
    }

    private static boolean isVisible(String text) {
        return text.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '#');
    }

    private static boolean isToken(String line, int end) {
        return line.chars()
                .limit(end)
                .allMatch(
                        c ->
                                (c >= 'a' && c <= 'z')
                                        || (c >= 'A' && c <= 'Z')
                                        || (c >= '0' && c <= '9')
                                        || TOKEN.indexOf(c) >= 0);
    }

    private static boolean isText(String line) {
        return line.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f));
    }

    public Optional<String> field(String name) {
        return Optional.ofNullable(fields.get(name));
    }

    /// Whether the connection is to go on after the answer.
    boolean keepsAlive() {
        return !field("connection").orElse("").toLowerCase(Locale.ROOT).contains("close");
    }
}
