// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// What we answer ourselves: a little JSON that a program, or a model, can act on.
final class Answer {
    /// The error of JSON-RPC, of those that applications choose.
    private static final int DENIED = -32003;

    private Answer() {}

    /// No, by which rule, and what to ask for.
    static FullHttpResponse denied(Policy policy, Action action, Reason reason) {
        return of(HttpResponseStatus.FORBIDDEN, fields(policy, action, reason));
    }

    /// The same for calls of JSON-RPC: each gets its answer, or its client would wait for it.
    ///
    /// @param ids of the calls, as JSON
    /// @param batch whether they came in a list
    static FullHttpResponse denied(
            Policy policy, Action action, Reason reason, List<String> ids, boolean batch) {
        if (ids.isEmpty()) {
            return denied(policy, action, reason);
        }
        String error =
                "\"error\":{\"code\":"
                        + DENIED
                        + ",\"message\":"
                        + quoted("denied by writ: " + reason.sentence())
                        + ",\"data\":"
                        + object(fields(policy, action, reason))
                        + "}";
        String text =
                ids.stream()
                        .map(id -> "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + error + "}")
                        .collect(Collectors.joining(","));
        return of(HttpResponseStatus.OK, (batch ? "[" + text + "]" : text) + "\n");
    }

    private static Map<String, String> fields(Policy policy, Action action, Reason reason) {
        var fields = new LinkedHashMap<String, String>();
        fields.put("error", "denied");
        fields.put("rule", policy.decide(action).deciding().map(Rule::toString).orElse(""));
        fields.put("reason", reason.sentence());
        fields.put("capability", action.text(policy.scope()));
        fields.put("hint", reason.hint());
        return fields;
    }

    /// A secret would get where it does not belong.
    static FullHttpResponse misplaced(Reason reason) {
        var fields = error("denied", reason.sentence());
        fields.put("hint", reason.hint());
        return of(HttpResponseStatus.FORBIDDEN, fields);
    }

    static FullHttpResponse bad(String reason) {
        return of(HttpResponseStatus.BAD_REQUEST, error("bad-request", reason));
    }

    /// The server was not reached, or did not answer as it should.
    static FullHttpResponse failed(Dialer.Failure failure) {
        return of(
                failure.late()
                        ? HttpResponseStatus.GATEWAY_TIMEOUT
                        : HttpResponseStatus.BAD_GATEWAY,
                error("unreachable", failure.reason()));
    }

    static FullHttpResponse tooMany(String reason) {
        return of(HttpResponseStatus.TOO_MANY_REQUESTS, error("limit", reason));
    }

    /// More is kept in memory than may be.
    static FullHttpResponse tooMuch() {
        return tooMany(
                "bodies that are read to their end before they are sent have at most "
                        + Usage.MOST_HELD
                        + " bytes, all requests together; wait, and try again");
    }

    /// Who are you?
    static FullHttpResponse unknown() {
        var answer =
                of(
                        HttpResponseStatus.PROXY_AUTHENTICATION_REQUIRED,
                        error("unknown", "this proxy is for one session, which knows its token"));
        answer.headers().set(HttpHeaderNames.PROXY_AUTHENTICATE, "Basic realm=\"writ\"");
        return answer;
    }

    private static Map<String, String> error(String error, String reason) {
        var fields = new LinkedHashMap<String, String>();
        fields.put("error", error);
        fields.put("reason", reason);
        return fields;
    }

    private static FullHttpResponse of(HttpResponseStatus status, Map<String, String> fields) {
        return of(status, object(fields) + "\n");
    }

    private static String object(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(f -> quoted(f.getKey()) + ":" + quoted(f.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static FullHttpResponse of(HttpResponseStatus status, String text) {
        var answer =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        status,
                        Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        answer.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
        answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
        return answer;
    }

    static String quoted(String text) {
        var out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append("\\u").append(String.format("%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
