// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What a client has sent: a message, or something that is none and what to answer to it.
sealed interface Incoming {
    int PARSE_ERROR = -32700;
    int INVALID_REQUEST = -32600;
    int INVALID_PARAMETERS = -32602;

    record Message(JSONRPCMessage message) implements Incoming {}

    record Wrong(byte[] answer) implements Incoming {}

    static Incoming read(byte[] bytes) {
        Map<String, Object> map;
        String text;
        try {
            text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            map = Json.MAPPER.readValue(text, new TypeRef<HashMap<String, Object>>() {});
        } catch (IOException | RuntimeException e) {
            return new Wrong(Json.error(null, PARSE_ERROR, "not a JSON object"));
        }
        try {
            if (map != null && "2.0".equals(map.get("jsonrpc"))) {
                return checked(McpSchema.deserializeJsonRpcMessage(Json.MAPPER, text));
            }
        } catch (IOException | RuntimeException e) {
            // said below
        }
        var id = map == null ? null : map.get("id");
        boolean known = id instanceof String || id instanceof Integer || id instanceof Long;
        return new Wrong(
                Json.error(known ? id : null, INVALID_REQUEST, "not a message of JSON-RPC 2.0"));
    }

    private static Incoming checked(JSONRPCMessage message) {
        return message instanceof JSONRPCRequest request && !Parameters.fit(request)
                ? new Wrong(
                        Json.error(
                                request.id(),
                                INVALID_PARAMETERS,
                                "these are no parameters of `"
                                        + Text.shown(request.method())
                                        + "`"))
                : new Message(message);
    }

    /// The request that `notification` wants to end; empty if it is about something else.
    static Optional<Object> cancelled(JSONRPCNotification notification) {
        return notification.method().equals("notifications/cancelled")
                        && notification.params() instanceof Map<?, ?> params
                ? Optional.ofNullable(params.get("requestId"))
                : Optional.empty();
    }
}
