// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.mcp.transport.Json;
import io.modelcontextprotocol.json.TypeRef;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Speaks to a server line by line, as it likes.
final class RawClient implements AutoCloseable {
    private static final long PATIENCE = 60;

    private final Pipe there = Pipe.open();
    private final Pipe back = Pipe.open();
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final StdioServer server;
    private final Thread serving;
    private final OutputStream out = Channels.newOutputStream(there.sink());

    RawClient(Settings settings) throws IOException {
        server =
                new StdioServer(
                        settings,
                        Channels.newInputStream(there.source()),
                        Channels.newOutputStream(back.sink()));
        serving = Thread.ofPlatform().start(this::serve);
        Thread.ofPlatform().daemon().start(this::listen);
    }

    private void serve() {
        try {
            server.serve();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void listen() {
        try (var reader =
                new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(back.source()), UTF_8))) {
            for (var line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Says who it is.
    ///
    /// @param capabilities as JSON
    RawClient hello(String capabilities) {
        send(
                """
                {"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25",\
                "capabilities":%s,"clientInfo":{"name":"raw","version":"1"}}}"""
                        .formatted(capabilities));
        next();
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        return this;
    }

    void send(String line) {
        send((line + "\n").getBytes(UTF_8));
    }

    void send(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void call(Object id, String tool, Map<String, ?> arguments) {
        try {
            send(
                    Json.MAPPER.writeValueAsString(
                            Map.of(
                                    "jsonrpc",
                                    "2.0",
                                    "id",
                                    id,
                                    "method",
                                    "tools/call",
                                    "params",
                                    Map.of("name", tool, "arguments", arguments))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Calls `tool` and gives its answer.
    Reply reply(String tool, Map<String, ?> arguments) {
        call("c", tool, arguments);
        return reply();
    }

    Reply reply() {
        return new Reply(next());
    }

    /// The next line.
    Map<String, Object> next() {
        try {
            var line = lines.poll(PATIENCE, TimeUnit.SECONDS);
            if (line == null) {
                throw new AssertionError("no answer within " + PATIENCE + " s");
            }
            return Json.MAPPER.readValue(line, new TypeRef<Map<String, Object>>() {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    boolean hasNothing(long milliseconds) throws InterruptedException {
        var line = lines.poll(milliseconds, TimeUnit.MILLISECONDS);
        if (line != null) {
            lines.add(line);
        }
        return line == null;
    }

    /// What a tool answered.
    record Reply(Map<String, Object> message) {
        Map<?, ?> result() {
            return map(message.get("result"));
        }

        String text() {
            if (result().get("content") instanceof List<?> list) {
                return String.valueOf(map(list.getFirst()).get("text"));
            }
            throw new AssertionError("no text: " + message);
        }

        boolean isError() {
            return Boolean.TRUE.equals(result().get("isError"));
        }

        @Nullable Object field(String name) {
            return map(result().get("structuredContent")).get(name);
        }
    }

    static Map<?, ?> map(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new AssertionError("no object: " + value);
    }

    /// Closes the stream, and waits for the end of the server.
    @Override
    public void close() throws IOException {
        out.close();
        try {
            if (!serving.join(Duration.ofSeconds(PATIENCE))) {
                throw new AssertionError("it does not end");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
