// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.capability.Text;
import dev.writ.core.sandbox.SandboxException;
import dev.writ.daemon.http.Handler;
import dev.writ.daemon.http.Head;
import dev.writ.daemon.http.HttpServer;
import dev.writ.daemon.http.Response;
import dev.writ.daemon.sandbox.TooManyException;
import dev.writ.egress.secret.SecretException;
import dev.writ.runtime.policy.InvalidPolicyException;
import dev.writ.runtime.record.RecordException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/// Finds the route of a request. Whatever goes wrong has an answer that says so.
public final class Api implements Handler {
    private final List<Route> routes;
    private final AtomicLong requests = new AtomicLong();

    public Api(List<Route> routes) {
        this.routes = List.copyOf(routes);
    }

    /// Everything that can be asked for, such as `GET /v1/info`.
    public Set<String> operations() {
        return routes.stream()
                .map(r -> r.method() + " " + r.path())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// The same, as far as it is among `operations`.
    public Api limitedTo(Set<String> operations) {
        return new Api(
                routes.stream()
                        .filter(r -> operations.contains(r.method() + " " + r.path()))
                        .toList());
    }

    /// How many requests there were.
    public long requests() {
        return requests.get();
    }

    @Override
    public void handle(Head head, InputStream body, Response response) throws IOException {
        requests.incrementAndGet();
        try {
            route(head, body, response);
        } catch (ApiException e) {
            send(e, response);
        } catch (RuntimeException e) {
            send(problem(e), response);
        }
    }

    private void route(Head head, InputStream body, Response response) throws IOException {
        int mark = head.target().indexOf('?');
        String path = mark < 0 ? head.target() : head.target().substring(0, mark);
        boolean known = false;
        for (var route : routes) {
            var parts = route.match(path);
            if (parts.isPresent() && route.method().equals(head.method())) {
                route.action().answer(new Call(head, body, response, parts.get()));
                return;
            }
            known |= parts.isPresent();
        }
        throw known
                ? new ApiException(
                        405, "request.method", "`" + head.method() + "` means nothing there")
                : new ApiException(404, "request.path", "nothing is there; see api/openapi.yaml");
    }

    private static void send(ApiException e, Response response) throws IOException {
        if (response.isBegun()) {
            throw new IOException(e); // the other side sees that the answer is not whole
        }
        response.send(e.status(), HttpServer.PROBLEM, e.body());
    }

    /// What is wrong, for whoever asked. A mistake of ours ends a request, never the daemon.
    static ApiException problem(RuntimeException e) {
        String message = Text.shown(String.valueOf(e.getMessage()));
        return switch (e) {
            case InvalidPolicyException bad ->
                    new ApiException(
                            422,
                            "policy.invalid",
                            bad.problems().getFirst().toString(),
                            Map.of(
                                    "problems",
                                    bad.problems().stream()
                                            .map(Object::toString)
                                            .collect(Collectors.toList())));
            case SecretException bad ->
                    new ApiException(422, "secret.missing", message + "; " + bad.hint());
            case SandboxException _ -> new ApiException(500, "sandbox.failed", message);
            case RecordException _ -> new ApiException(500, "record.failed", message);
            case TooManyException _ -> new ApiException(429, "limit.reached", message);
            case RejectedExecutionException _ -> new ApiException(409, "sandbox.ending", message);
            case CompletionException c when c.getCause() instanceof RuntimeException cause ->
                    problem(cause);
            default ->
                    new ApiException(
                            500, "daemon.failed", e.getClass().getSimpleName() + ": " + message);
        };
    }

    @Override
    public byte[] refusal(int status, String why) {
        return new ApiException(status, "request.refused", why).body();
    }
}
