// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import dev.writ.daemon.http.Handler;
import dev.writ.daemon.http.Head;
import dev.writ.daemon.http.Response;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/// Streamable HTTP: many clients, each with a session that is named by an id which nobody can
/// guess. What a request was to bring is ended when whoever sent it goes away, because nothing is
/// kept for them to come back to.
public final class HttpTransport implements McpStreamableServerTransportProvider, Handler {
    public static final String PATH = "/mcp";

    private static final String SESSION = "mcp-session-id";
    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream";

    private final Clients clients;
    private McpStreamableServerSession.@Nullable Factory factory;

    /// @param gone hears the id of a session that is over
    public HttpTransport(Consumer<String> gone) {
        clients = new Clients(gone);
    }

    @Override
    public List<String> protocolVersions() {
        return List.of("2025-03-26", "2025-06-18", "2025-11-25");
    }

    @Override
    public void setSessionFactory(McpStreamableServerSession.Factory sessions) {
        factory = sessions;
    }

    @Override
    public void handle(Head head, InputStream body, Response response) throws IOException {
        try {
            route(head, body, response);
        } catch (WrongRequest e) {
            Map<String, String> fields =
                    e.status() == 405
                            ? Map.of("content-type", JSON, "allow", "GET, POST, DELETE")
                            : Map.of("content-type", JSON);
            response.send(e.status(), fields, e.body());
        }
    }

    private void route(Head head, InputStream body, Response response)
            throws IOException, WrongRequest {
        if (!head.target().equals(PATH)) {
            throw new WrongRequest(404, "everything is at `" + PATH + "`");
        }
        var version = head.field("mcp-protocol-version");
        if (version.isPresent() && !protocolVersions().contains(version.get())) {
            throw new WrongRequest(
                    400,
                    "this version of the protocol is not spoken here; these are: "
                            + String.join(", ", protocolVersions()));
        }
        switch (head.method()) {
            case "POST" -> post(head, body, response);
            case "GET" -> listen(head, response);
            case "DELETE" -> {
                clients.end(client(head));
                response.send(200, Map.of(), new byte[0]);
            }
            default -> throw new WrongRequest(405, "use GET, POST or DELETE");
        }
    }

    private Client client(Head head) throws WrongRequest {
        var id = head.field(SESSION);
        if (id.isEmpty()) {
            throw new WrongRequest(400, "`" + SESSION + "` is missing");
        }
        return clients.find(id.get())
                .orElseThrow(() -> new WrongRequest(404, "there is no such session"));
    }

    private void listen(Head head, Response response) throws IOException, WrongRequest {
        accepts(head, EVENTS);
        var client = client(head);
        var stream = new EventStream(_ -> true);
        var listening = client.session().listeningStream(stream);
        try (var _ = client.use()) {
            stream.serve(response);
        } finally {
            listening.releaseTransport();
        }
    }

    private void post(Head head, InputStream body, Response response)
            throws IOException, WrongRequest {
        accepts(head, JSON);
        accepts(head, EVENTS);
        String type = head.field("content-type").orElse("").split(";", 2)[0].strip();
        if (!type.equalsIgnoreCase(JSON)) {
            throw new WrongRequest(415, "a message is `" + JSON + "`");
        }
        byte[] bytes = body.readNBytes(StdioTransport.MOST + 1);
        if (bytes.length > StdioTransport.MOST) {
            throw new WrongRequest(413, "a message has at most " + StdioTransport.MOST + " bytes");
        }
        switch (Incoming.read(bytes)) {
            case Incoming.Wrong(var answer) -> throw new WrongRequest(400, answer);
            case Incoming.Message(JSONRPCRequest request)
                    when request.method().equals(McpSchema.METHOD_INITIALIZE) ->
                    open(request, response);
            case Incoming.Message(JSONRPCRequest request) -> answer(head, request, response);
            case Incoming.Message(JSONRPCNotification notification) -> {
                var client = client(head);
                if (!client.requests().cancel(notification)) {
                    ignoring(client.session().accept(notification));
                }
                response.send(202, Map.of(), new byte[0]);
            }
            case Incoming.Message(JSONRPCResponse answered) -> {
                ignoring(client(head).session().accept(answered));
                response.send(202, Map.of(), new byte[0]);
            }
            case Incoming.Message(var _) -> throw new WrongRequest(400, "not a known message");
        }
    }

    private static void ignoring(Mono<Void> task) {
        var _ = task.subscribe(_ -> {}, _ -> {});
    }

    private static void accepts(Head head, String type) throws WrongRequest {
        String accepted = head.field("accept").orElse("").toLowerCase(Locale.ROOT);
        if (!accepted.contains(type) && !accepted.contains("*/*")) {
            throw new WrongRequest(406, "`accept` must name `" + type + "`");
        }
    }

    private void open(JSONRPCRequest request, Response response) throws IOException, WrongRequest {
        var sessions = Optional.ofNullable(factory);
        McpSchema.InitializeRequest asked;
        try {
            asked =
                    Json.MAPPER.convertValue(
                            request.params(), new TypeRef<McpSchema.InitializeRequest>() {});
        } catch (RuntimeException e) {
            throw new WrongRequest(
                    400, Json.error(request.id(), -32602, "these are no parameters of initialize"));
        }
        if (asked == null || sessions.isEmpty()) {
            throw new WrongRequest(
                    400, Json.error(request.id(), -32602, "initialize has parameters"));
        }
        var init = sessions.get().startSession(asked);
        if (!clients.add(init.session())) {
            init.session().close();
            throw new WrongRequest(503, "too many sessions");
        }
        var result = init.initResult().block();
        response.send(
                200,
                Map.of("content-type", JSON, SESSION, init.session().getId()),
                Json.bytes(JSONRPCResponse.result(request.id(), result)));
    }

    private void answer(Head head, JSONRPCRequest request, Response response)
            throws IOException, WrongRequest {
        var client = client(head);
        var ongoing = client.requests().begin(request.id());
        if (ongoing.isEmpty()) {
            throw new WrongRequest(
                    429, Json.error(request.id(), -32000, "too many requests, or two of this id"));
        }
        var stream = new EventStream(r -> client.requests().end(r.id()));
        var answering = client.session().responseStream(stream);
        try (var _ = client.use()) {
            var _ =
                    answering
                            .handle(request)
                            .contextWrite(ongoing.get()::in)
                            .subscribe(_ -> {}, _ -> stream.close());
            stream.serve(response);
        } catch (IOException e) {
            ongoing.get().cancel();
            throw e;
        } finally {
            client.requests().end(request.id());
            answering.close();
        }
    }

    @Override
    public byte[] refusal(int status, String why) {
        return Json.bytes(Map.of("status", status, "detail", why));
    }

    @Override
    public Mono<Void> notifyClients(String method, Object params) {
        return Flux.fromIterable(clients.all())
                .flatMap(c -> c.session().sendNotification(method, params).onErrorComplete())
                .then();
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(clients::close);
    }
}
