// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/// JSON as the SDK wants to have it read and written.
public final class Json {
    /// Two values of one name have no one meaning.
    public static final McpJsonMapper MAPPER =
            new JacksonMcpJsonMapper(
                    JsonMapper.builder(
                                    JsonFactory.builder()
                                            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                            .build())
                            .build());

    /// Tools read their arguments by themselves, and know what they answer.
    public static final JsonSchemaValidator ANYTHING =
            (_, _) -> JsonSchemaValidator.ValidationResponse.asValid(null);

    private Json() {}

    static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// An error of JSON-RPC.
    ///
    /// @param id of what it answers; null if that is not known
    static byte[] error(@Nullable Object id, int code, String message) {
        var error = new LinkedHashMap<String, @Nullable Object>();
        error.put("code", code);
        error.put("message", message);
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("jsonrpc", "2.0");
        map.put("id", id);
        map.put("error", error);
        return bytes(map);
    }
}
