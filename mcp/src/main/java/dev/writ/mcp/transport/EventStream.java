// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.daemon.http.Response;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpStreamableServerTransport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/// Messages to a client, as events of one answer of HTTP. Whoever sends them does not wait: the
/// thread of the connection writes them, and notices if nobody listens any more.
final class EventStream implements McpStreamableServerTransport {
    private static final byte[] END = {};
    private static final byte[] NOTHING = ":\n\n".getBytes(US_ASCII);
    private static final byte[] BEFORE = "event: message\ndata: ".getBytes(US_ASCII);
    private static final byte[] AFTER = "\n\n".getBytes(US_ASCII);
    private static final long LOOK_MS = 500;
    private static final int SILENCE = 30; // looks

    private final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    private final Predicate<JSONRPCResponse> isWanted;

    EventStream(Predicate<JSONRPCResponse> isWanted) {
        this.isWanted = isWanted;
    }

    /// Writes what comes until the end.
    ///
    /// @throws IOException if nobody listens any more
    void serve(Response response) throws IOException {
        var stream = response.stream(200, "text/event-stream");
        stream.begin();
        int silence = 0;
        while (true) {
            var next = poll();
            if (next != null && next.length == 0) {
                stream.close(END);
                return;
            }
            if (next == null && stream.isGone()) {
                throw new IOException("nobody listens any more");
            }
            silence = next == null ? silence + 1 : 0;
            if (silence == SILENCE) {
                next = NOTHING;
                silence = 0;
            }
            if (next != null) {
                stream.write(next, next.length);
            }
        }
    }

    private byte @Nullable [] poll() throws IOException {
        try {
            return messages.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return sendMessage(message, "");
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message, String id) {
        return Mono.fromRunnable(
                () -> {
                    if (!(message instanceof JSONRPCResponse response) || isWanted.test(response)) {
                        var event = new ByteArrayOutputStream();
                        event.writeBytes(BEFORE);
                        event.writeBytes(Json.bytes(message));
                        event.writeBytes(AFTER);
                        messages.add(event.toByteArray());
                    }
                });
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return Json.MAPPER.convertValue(data, type);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(this::close);
    }

    @Override
    public void close() {
        messages.add(END);
    }
}
