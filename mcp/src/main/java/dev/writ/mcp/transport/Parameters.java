// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.InitializeRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.PaginatedRequest;
import java.util.Map;

/// Whether the parameters of a request are those of its method. Looked at before anybody converts
/// them, who would speak of classes.
final class Parameters {
    private static final Map<String, TypeRef<?>> KNOWN =
            Map.of(
                    McpSchema.METHOD_INITIALIZE,
                    new TypeRef<InitializeRequest>() {},
                    McpSchema.METHOD_TOOLS_LIST,
                    new TypeRef<PaginatedRequest>() {},
                    McpSchema.METHOD_TOOLS_CALL,
                    new TypeRef<CallToolRequest>() {});

    private Parameters() {}

    static boolean fit(JSONRPCRequest request) {
        var given = request.params();
        var type = KNOWN.get(request.method());
        if (given == null) {
            return type == null || request.method().equals(McpSchema.METHOD_TOOLS_LIST);
        }
        if (!(given instanceof Map<?, ?> map)) {
            return false;
        }
        if (request.method().equals(McpSchema.METHOD_TOOLS_CALL)
                && !(map.get("name") instanceof String)) {
            return false; // a number is no name, though it could become one
        }
        try {
            if (type != null) {
                Json.MAPPER.convertValue(given, type);
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
