// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.daemon.http.HttpServer;
import dev.writ.daemon.http.TcpDoor;
import dev.writ.mcp.transport.HttpTransport;
import dev.writ.mcp.transport.Json;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Content;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import reactor.core.publisher.Mono;

/// The tools that the conformance suite of MCP wants to find in a server, behind our own door and
/// transport: so that it can try those with everything it knows. Prints its port.
public final class FixtureServer {
    private static final String PNG =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
    private static final String WAV =
            "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
    private static final Duration MOMENT = Duration.ofMillis(50);

    private FixtureServer() {}

    public static void main(String[] words) throws IOException, InterruptedException {
        var transport = new HttpTransport(_ -> {});
        McpServer.async(transport)
                .serverInfo("fixture", "1")
                .capabilities(McpSchema.ServerCapabilities.builder().tools(false).build())
                .jsonMapper(Json.MAPPER)
                .jsonSchemaValidator(Json.ANYTHING)
                .tools(tools())
                .build();
        var listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        new HttpServer(transport).open(listener, new TcpDoor(words[0], "here", port, true));
        System.out.println(port);
        System.in.read(); // until whoever has started it goes away
    }

    private static List<AsyncToolSpecification> tools() {
        var all = new ArrayList<AsyncToolSpecification>();
        Content text = text("Multiple content types test:");
        Content image = McpSchema.ImageContent.builder(PNG, "image/png").build();
        all.add(says("test_simple_text", text("This is a simple text response for testing.")));
        all.add(says("test_image_content", image));
        all.add(
                says(
                        "test_audio_content",
                        McpSchema.AudioContent.builder(WAV, "audio/wav").build()));
        all.add(
                says(
                        "test_embedded_resource",
                        resource(
                                "test://embedded-resource",
                                "text/plain",
                                "This is an embedded resource content.")));
        all.add(
                says(
                        "test_multiple_content_types",
                        text,
                        image,
                        resource(
                                "test://mixed-content-resource",
                                "application/json",
                                "{\"test\":\"data\",\"value\":123}")));
        all.add(
                tool(
                        "test_error_handling",
                        (_, _) ->
                                Mono.just(
                                        CallToolResult.builder()
                                                .addTextContent(
                                                        "This tool intentionally returns an error for testing")
                                                .isError(true)
                                                .build())));
        all.add(tool("test_tool_with_logging", (exchange, _) -> log(exchange)));
        all.add(tool("test_tool_with_progress", FixtureServer::progress));
        all.add(tool("test_sampling", FixtureServer::sample));
        all.add(
                tool(
                        "test_elicitation",
                        (e, r) -> elicit(e, String.valueOf(r.arguments().get("message")), USER)));
        all.add(tool("test_elicitation_sep1034_defaults", (e, _) -> elicit(e, "which?", DEFAULTS)));
        all.add(tool("test_elicitation_sep1330_enums", (e, _) -> elicit(e, "which?", ENUMS)));
        all.add(
                AsyncToolSpecification.builder()
                        .tool(
                                McpSchema.Tool.builder("json_schema_2020_12_tool", map(SCHEMA))
                                        .description("Tool with JSON Schema 2020-12 features")
                                        .build())
                        .callHandler((_, _) -> Mono.just(result(text("done"))))
                        .build());
        return all;
    }

    private static final String USER =
            """
            {"type": "object", "required": ["username", "email"], "properties": {
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"}}}""";

    private static final String DEFAULTS =
            """
            {"type": "object", "required": [], "properties": {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true}}}""";

    private static final String ENUMS =
            """
            {"type": "object", "required": [], "properties": {
                "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
                "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
                    {"const": "value2", "title": "Second Option"}]},
                "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2"]}},
                "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"}]}}}}""";

    private static final String SCHEMA =
            """
            {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                "$defs": {"address": {"type": "object", "properties": {
                    "street": {"type": "string"}, "city": {"type": "string"}}}},
                "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
                "additionalProperties": false}""";

    private static Map<String, Object> map(String json) {
        try {
            return Json.MAPPER.readValue(json, new TypeRef<Map<String, Object>>() {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static AsyncToolSpecification tool(
            String name,
            BiFunction<McpAsyncServerExchange, CallToolRequest, Mono<CallToolResult>> handler) {
        return AsyncToolSpecification.builder()
                .tool(
                        McpSchema.Tool.builder(name, Map.of("type", "object"))
                                .description(name)
                                .build())
                .callHandler(handler)
                .build();
    }

    private static AsyncToolSpecification says(String name, Content... content) {
        return tool(name, (_, _) -> Mono.just(result(content)));
    }

    private static CallToolResult result(Content... content) {
        return CallToolResult.builder().content(List.of(content)).build();
    }

    private static Content text(String text) {
        return McpSchema.TextContent.builder(text).build();
    }

    private static Content resource(String uri, String type, String text) {
        return McpSchema.EmbeddedResource.builder(
                        McpSchema.TextResourceContents.builder(uri, text).mimeType(type).build())
                .build();
    }

    private static Mono<CallToolResult> log(McpAsyncServerExchange exchange) {
        return log(exchange, "Tool execution started")
                .then(log(exchange, "Tool processing data").delaySubscription(MOMENT))
                .then(log(exchange, "Tool execution completed").delaySubscription(MOMENT))
                .thenReturn(result(text("logged")));
    }

    private static Mono<Void> log(McpAsyncServerExchange exchange, String line) {
        return exchange.loggingNotification(
                McpSchema.LoggingMessageNotification.builder(McpSchema.LoggingLevel.INFO, line)
                        .build());
    }

    private static Mono<CallToolResult> progress(
            McpAsyncServerExchange exchange, CallToolRequest request) {
        Mono<Void> all = Mono.empty();
        for (double done : new double[] {0, 50, 100}) {
            all =
                    all.then(
                            exchange.progressNotification(
                                            McpSchema.ProgressNotification.builder(
                                                            request.progressToken(), done)
                                                    .total(100.0)
                                                    .build())
                                    .delaySubscription(MOMENT));
        }
        return all.thenReturn(result(text("done")));
    }

    private static Mono<CallToolResult> sample(
            McpAsyncServerExchange exchange, CallToolRequest request) {
        String prompt = String.valueOf(request.arguments().get("prompt"));
        return exchange.createMessage(
                        McpSchema.CreateMessageRequest.builder(
                                        List.of(
                                                McpSchema.SamplingMessage.builder(
                                                                McpSchema.Role.USER, text(prompt))
                                                        .build()),
                                        100)
                                .build())
                .map(answer -> result(text("LLM response: " + answer.content())));
    }

    private static Mono<CallToolResult> elicit(
            McpAsyncServerExchange exchange, String message, String schema) {
        return exchange.createElicitation(
                        McpSchema.ElicitFormRequest.builder(message, map(schema)).build())
                .map(
                        r ->
                                result(
                                        text(
                                                "Elicitation completed: action="
                                                        + r.action()
                                                        + ", content="
                                                        + r.content())));
    }
}
