// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.writ.core.capability.Text;
import dev.writ.core.json.JsonException;
import dev.writ.daemon.http.Head;
import dev.writ.daemon.http.Response;
import dev.writ.trust.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One request, and the way to answer it.
final class Call {
    static final String JSON = "application/json";
    static final String LINES = "application/x-ndjson";

    private static final int MOST_BODY = 8 << 20;

    private final Head head;
    private final InputStream body;
    private final Response response;
    private final Map<String, String> parts;

    /// @param parts what stands in the path where the route has a name in braces
    Call(Head head, InputStream body, Response response, Map<String, String> parts) {
        this.head = head;
        this.body = body;
        this.response = response;
        this.parts = parts;
    }

    String part(String name) {
        return parts.getOrDefault(name, "");
    }

    /// The field of that name in the head; empty if there is none.
    String header(String name) {
        return head.field(name).orElse("");
    }

    /// What follows the head, as it comes.
    InputStream body() {
        return body;
    }

    Response response() {
        return response;
    }

    /// The parameters after `?`.
    Map<String, String> query(List<String> known) {
        var found = new HashMap<String, String>();
        int mark = head.target().indexOf('?');
        if (mark < 0) {
            return found;
        }
        for (var pair : head.target().substring(mark + 1).split("&")) {
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            if (!known.contains(name) || found.containsKey(name)) {
                throw ApiException.invalid(
                        "unknown or repeated parameter; known are " + String.join(", ", known));
            }
            found.put(name, equals < 0 ? "" : decode(pair.substring(equals + 1)));
        }
        return found;
    }

    static String decode(String text) {
        try {
            // By bytes: a name of a file need not be UTF-8.
            return Text.of(URLDecoder.decode(text, ISO_8859_1).getBytes(ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw ApiException.invalid("a percent sign stands for nothing");
        }
    }

    /// What stands in the body.
    Fields fields(String... known) throws IOException {
        byte[] bytes = json();
        try {
            return Fields.of(
                    bytes.length == 0 ? Map.of() : Json.read(bytes, MOST_BODY), List.of(known));
        } catch (JsonException e) {
            throw ApiException.invalid(String.valueOf(e.getMessage()));
        }
    }

    /// The body as it came, which claims to be JSON.
    byte[] json() throws IOException {
        String type = head.field("content-type").orElse("").toLowerCase(Locale.ROOT);
        if (!type.equals(JSON) && !type.startsWith(JSON + ";")) {
            throw new ApiException(
                    415, "request.not-json", "the body must be JSON: `content-type: " + JSON + "`");
        }
        byte[] bytes = body.readNBytes(MOST_BODY + 1);
        if (bytes.length > MOST_BODY) {
            throw new ApiException(
                    413, "request.too-long", "a body has at most " + MOST_BODY + " bytes");
        }
        return bytes;
    }

    void answer(@Nullable Object json) throws IOException {
        answer(200, json);
    }

    void answer(int status, @Nullable Object json) throws IOException {
        response.send(status, JSON, Wire.bytes(json));
    }

    void nothing() throws IOException {
        response.send(204, Map.of(), new byte[0]);
    }
}
