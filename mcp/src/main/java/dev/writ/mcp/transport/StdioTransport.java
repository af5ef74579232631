// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/// One client, which reads and writes a message a line. When it stops doing either, it is over.
public final class StdioTransport implements McpServerTransportProvider {
    /// How long a message may be.
    static final int MOST = 8 << 20;

    private static final int TOO_MANY = -32000;

    private final InputStream in;
    private final OutputStream out;
    private final Requests requests = new Requests();
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable McpServerSession session;

    public StdioTransport(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    @Override
    public void setSessionFactory(McpServerSession.Factory factory) {
        session = factory.create(new Lines());
    }

    /// Answers until the client goes away, or [#end].
    public void serve() throws InterruptedException {
        var client = session;
        if (client == null) {
            throw new IllegalStateException("nobody is there to answer");
        }
        Thread.ofPlatform().daemon().name("writ-mcp-in").start(() -> listen(client));
        over.await();
        requests.cancelAll();
    }

    public void end() {
        over.countDown();
    }

    private void listen(McpServerSession client) {
        try {
            var lines = new LineReader(in, MOST);
            for (var line = lines.next(); line.isPresent(); line = lines.next()) {
                if (line.get().tooLong()) {
                    write(
                            Json.error(
                                    null,
                                    Incoming.INVALID_REQUEST,
                                    "a message has at most " + MOST + " bytes"));
                } else if (line.get().bytes().length > 0) {
                    take(client, line.get().bytes());
                }
            }
        } catch (IOException e) {
            // It has gone.
        } finally {
            end();
        }
    }

    private void take(McpServerSession client, byte[] line) throws IOException {
        switch (Incoming.read(line)) {
            case Incoming.Wrong(var answer) -> write(answer);
            case Incoming.Message(JSONRPCRequest request) -> answer(client, request);
            case Incoming.Message(JSONRPCNotification notification)
                    when requests.cancel(notification) -> {}
            case Incoming.Message(var message) -> hand(client, message, new Ongoing());
        }
    }

    private void answer(McpServerSession client, JSONRPCRequest request) throws IOException {
        if (request.method().equals(McpSchema.METHOD_PING)) {
            // Also before it has said who it is.
            write(Json.bytes(JSONRPCResponse.result(request.id(), Map.of())));
            return;
        }
        var ongoing = requests.begin(request.id());
        if (ongoing.isEmpty()) {
            write(Json.error(request.id(), TOO_MANY, "too many requests, or two of this id"));
            return;
        }
        hand(client, request, ongoing.get());
    }

    private static void hand(McpServerSession client, JSONRPCMessage message, Ongoing ongoing) {
        var _ = client.handle(message).contextWrite(ongoing::in).subscribe(_ -> {}, _ -> {});
    }

    private void write(byte[] message) throws IOException {
        synchronized (out) {
            out.write(message);
            out.write('\n');
            out.flush();
        }
    }

    @Override
    public Mono<Void> notifyClients(String method, Object params) {
        var client = session;
        return client == null ? Mono.empty() : client.sendNotification(method, params);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(this::end);
    }

    /// What the session writes to.
    private final class Lines implements McpServerTransport {
        @Override
        public Mono<Void> sendMessage(JSONRPCMessage message) {
            return Mono.fromRunnable(() -> send(message));
        }

        private void send(JSONRPCMessage message) {
            if (message instanceof JSONRPCResponse response && !requests.end(response.id())) {
                return;
            }
            try {
                write(Json.bytes(message));
            } catch (IOException e) {
                end();
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
            return Json.MAPPER.convertValue(data, type);
        }

        @Override
        public Mono<Void> closeGracefully() {
            return Mono.empty();
        }
    }
}
