// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.core.capability.Text;
import dev.writ.mcp.tool.Result;
import dev.writ.mcp.tool.Tool;
import dev.writ.mcp.tool.ToolCall;
import dev.writ.mcp.transport.Json;
import dev.writ.mcp.transport.Ongoing;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import reactor.core.publisher.Mono;

/// Answers the calls of all clients, whatever way they come.
final class Server {
    private static final String INSTRUCTIONS =
            """
            Everything here runs in a sandbox, under a policy of the operator's. What is refused \
            says by which rule, and what could be asked for: tell the operator, do not try to get \
            around it.""";

    private final Settings settings;
    private final Seats seats;
    private final Questions questions;
    /// Platform threads: tools start sandboxes and wait for them.
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("writ-tool-", 0).factory());

    static {
        // Nobody logs here; to say so on standard error helps nobody.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
    }

    Server(Settings settings) {
        this.settings = settings;
        this.seats = new Seats(settings);
        this.questions = new Questions(seats);
        questions.start();
    }

    Seats seats() {
        return seats;
    }

    /// Lets `server` answer by our tools.
    void fit(McpServer.AsyncSpecification<?> server) {
        server.serverInfo("writ", settings.version().get())
                .instructions(INSTRUCTIONS)
                .capabilities(McpSchema.ServerCapabilities.builder().tools(false).build())
                .jsonMapper(Json.MAPPER)
                .jsonSchemaValidator(Json.ANYTHING)
                .requestTimeout(Questions.patience())
                .tools(Tool.all().stream().map(this::specification).toList())
                .build();
    }

    private AsyncToolSpecification specification(Tool tool) {
        return AsyncToolSpecification.builder()
                .tool(tool.description())
                .callHandler(
                        (exchange, request) ->
                                Mono.fromFuture(
                                        CompletableFuture.supplyAsync(
                                                () -> call(tool, exchange, request), threads)))
                .build();
    }

    private CallToolResult call(
            Tool tool, McpAsyncServerExchange exchange, CallToolRequest request) {
        var ongoing = Ongoing.of(exchange.transportContext()).orElseGet(Ongoing::new);
        try {
            var seat = seats.of(exchange);
            seat.begin(exchange);
            try {
                questions.wake();
                return tool.call(
                        new ToolCall(
                                seat.sandbox(),
                                Optional.ofNullable(request.arguments()).orElse(Map.of()),
                                ongoing,
                                progress(exchange, request)));
            } finally {
                seat.end(exchange);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Result.failed("the server is ending");
        } catch (RuntimeException e) {
            return Result.failed(Text.shown(String.valueOf(e.getMessage())));
        } catch (Error e) {
            // Whoever asked waits for an answer, whatever broke.
            return Result.failed("the server failed: " + Text.shown(e.toString()));
        }
    }

    private static ToolCall.Progress progress(
            McpAsyncServerExchange exchange, CallToolRequest request) {
        var token = request.progressToken();
        if (token == null) {
            return (_, _) -> {};
        }
        return (seconds, line) -> {
            var told = ProgressNotification.builder(token, seconds).message(line).build();
            var _ = exchange.progressNotification(told).subscribe(_ -> {}, _ -> {});
        };
    }

    /// Ends everything.
    ///
    /// @return what the operator has to know
    List<String> finish() {
        questions.close();
        var notices = seats.finish();
        threads.shutdownNow();
        return notices;
    }
}
