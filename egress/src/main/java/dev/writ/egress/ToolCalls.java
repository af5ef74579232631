// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.json.JsonException;
import dev.writ.core.json.JsonReader;
import dev.writ.core.policy.Passage;
import dev.writ.core.policy.Policy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The tools that a request calls by the Model Context Protocol: JSON-RPC in the body of a POST,
/// one call or a list of them. Servers differ in how they read JSON, so what some of them would
/// read in another way is refused.
final class ToolCalls {
    static final int MOST_BYTES = 1024 * 1024;
    private static final String METHOD = "tools/call";

    /// Bodies that no server reads as JSON, unless they begin like it.
    private static final List<String> FORMS =
            List.of("application/x-www-form-urlencoded", "multipart/form-data");

    private final RequestHead wanted;
    private final boolean form;
    private final ByteArrayOutputStream whole = new ByteArrayOutputStream();
    private final List<String> ids = new ArrayList<>();
    private boolean batch;

    /// @throws BadRequest if the body cannot be looked at
    ToolCalls(RequestHead wanted) {
        this.wanted = wanted;
        if (wanted.webSocket()) {
            throw new BadRequest(
                    "rules speak of the tools of this host, and nobody sees them in a WebSocket");
        }
        var headers = wanted.request().headers();
        if (headers.contains(HttpHeaderNames.CONTENT_ENCODING)) {
            throw new BadRequest(
                    "rules speak of the tools of this host, so what is sent to it must not be compressed");
        }
        var types = headers.getAll(HttpHeaderNames.CONTENT_TYPE);
        String type = types.isEmpty() ? "" : types.getFirst().toLowerCase(Locale.ROOT);
        if (types.size() > 1 || isInOtherLetters(type)) {
            throw new BadRequest(
                    "rules speak of the tools of this host, so what is sent to it has one type, in UTF-8");
        }
        this.form = FORMS.contains(type.split(";", 2)[0].strip());
    }

    /// Many servers read a body in the letters that it names. In some (UTF-7) other words stand
    /// there than in UTF-8.
    private static boolean isInOtherLetters(String type) {
        return Stream.of(type.split(";"))
                .map(String::strip)
                .anyMatch(
                        part ->
                                part.contains("charset")
                                        && !part.matches("charset *= *\"?utf-?8\"?"));
    }

    /// Whether `wanted` may call tools that rules speak of. Calls are posted, but many servers take
    /// a body with any method; and not only where one is announced: in HTTP/2 it may come all the
    /// same. A rule for a WebSocket is one for whatever is said there, as far as no rule forbids.
    static boolean mayBeIn(Service service, RequestHead wanted) {
        var host = wanted.to().host();
        return wanted.webSocket() ? service.restrictsTools(host) : service.judgesTools(host);
    }

    RequestHead wanted() {
        return wanted;
    }

    /// @throws BadRequest if the body is too large
    void add(ByteBuf part) {
        if (whole.size() + part.readableBytes() > MOST_BYTES) {
            throw new BadRequest(
                    "rules speak of the tools of this host, so what is sent to it has at most "
                            + MOST_BYTES
                            + " bytes");
        }
        var bytes = new byte[part.readableBytes()];
        part.getBytes(part.readerIndex(), bytes);
        whole.writeBytes(bytes);
    }

    ByteBuf body() {
        return Unpooled.wrappedBuffer(whole.toByteArray());
    }

    /// The calls in the body, which is complete.
    ///
    /// @throws BadRequest if it has no one meaning
    List<Action.CallTool> read() {
        byte[] bytes = whole.toByteArray();
        if (bytes.length == 0 || (form && looksLikeForm(bytes))) {
            return List.of();
        }
        try {
            var value = JsonReader.read(bytes, MOST_BYTES, JsonReader.Numbers.ANY);
            batch = value instanceof List<?>;
            var calls = new ArrayList<Action.CallTool>();
            for (var one : value instanceof List<?> list ? list : Arrays.asList(value)) {
                read(one, calls);
            }
            return calls;
        } catch (JsonException e) {
            throw new BadRequest(
                    "rules speak of the tools of this host, and the body is " + e.getMessage());
        }
    }

    /// As no JSON begins, in whatever letters, nor what some readers take for it (`/**/{`).
    private static boolean looksLikeForm(byte[] bytes) {
        byte first = bytes[0];
        return (first >= 'a' && first <= 'z')
                || (first >= 'A' && first <= 'Z')
                || (first >= '0' && first <= '9')
                || "%_-.~*+$".indexOf(first) >= 0;
    }

    private void read(@Nullable Object message, List<Action.CallTool> calls) {
        if (!(message instanceof Map<?, ?> map)) {
            throw new JsonException("not JSON-RPC: a call is an object");
        }
        var method = member(map, "method");
        var id = member(map, "id");
        var parameters = member(map, "params");
        if (method != null && id instanceof String text) {
            ids.add(Answer.quoted(text));
        } else if (method != null && id instanceof Long number) {
            ids.add(number.toString());
        } else if (method != null && id instanceof JsonReader.Decimal decimal) {
            ids.add(decimal.text());
        } else if (id != null && method != null) {
            throw new JsonException("not JSON-RPC: an `id` is a text or a number");
        }
        if (!METHOD.equals(method)) {
            if (method instanceof String text && METHOD.equalsIgnoreCase(text.strip())) {
                throw new JsonException("not clear: it could be `" + METHOD + "`");
            }
            return;
        }
        if (!(parameters instanceof Map<?, ?> named
                && member(named, "name") instanceof String name)) {
            throw new JsonException("not a call of a tool: it has no name");
        }
        var segments = new ArrayList<>(List.of(Passage.MCP, wanted.to().host().toString()));
        for (var segment : name.split("/", -1)) {
            if (!segment.matches("[\\p{L}\\p{N}_.:@$+~-]+")) {
                throw new JsonException("not the name of a tool: " + BadRequest.shown(name));
            }
            segments.add(segment);
        }
        calls.add(new Action.CallTool(segments));
    }

    /// Some servers take a name for the same if it is in other letters.
    private static @Nullable Object member(Map<?, ?> map, String name) {
        for (var key : map.keySet()) {
            if (name.equalsIgnoreCase((String) key) && !name.equals(key)) {
                throw new JsonException(
                        "not clear: "
                                + BadRequest.shown((String) key)
                                + " could be `"
                                + name
                                + "`");
            }
        }
        return map.get(name);
    }

    /// What the client is told instead of an answer to `refused`. Nothing of what came with it was
    /// sent.
    FullHttpResponse denied(Policy policy, Action.CallTool refused, Reason reason) {
        return Answer.denied(policy, refused, reason, ids, batch);
    }
}
