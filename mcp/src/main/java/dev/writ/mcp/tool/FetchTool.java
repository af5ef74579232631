// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Text;
import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.runtime.Outlet;
import dev.writ.runtime.Refusals;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// One request of HTTP, through the way out of the session: judged there like those of programs.
/// Redirects are handed back.
final class FetchTool implements Tool {
    private static final int HALF = 128 * 1024;
    private static final int MOST_BODY = 8 << 20;
    private static final long TIME = Duration.ofSeconds(30).toMillis();
    private static final long MOST_TIME = Duration.ofMinutes(10).toMillis();

    @Override
    public McpSchema.Tool description() {
        return McpSchema.Tool.builder(
                        "fetch",
                        new Schema()
                                .text("url", "http:// or https://")
                                .text("method", "otherwise GET")
                                .map("headers", "names and values")
                                .text("body", "what to send")
                                .text("body_base64", "the same, if it is no text")
                                .number(
                                        "timeout_ms",
                                        1,
                                        MOST_TIME,
                                        "how long it may take; otherwise " + TIME)
                                .requiring("url"))
                .title("Send a request")
                .description(
                        """
                        Sends one HTTP request and gives the answer. The policy decides which hosts, \
                        methods and paths are reached; secrets are put in on the way. Redirects are \
                        not followed. Of a long body the beginning and the end are given.""")
                .outputSchema(
                        new Schema()
                                .number("status", "of the answer")
                                .map("headers", "of the answer")
                                .text("body", "of the answer, as text")
                                .number("bytes", "how long the body was")
                                .flag("cut", "whether part of the body is left out")
                                .objects("refused", "what was refused, by which rule")
                                .requiring("status", "headers", "body"))
                .annotations(Tool.hints(true, true))
                .build();
    }

    @Override
    public McpSchema.CallToolResult call(ToolCall call) throws InterruptedException {
        var fields = call.fields("url", "method", "headers", "body", "body_base64", "timeout_ms");
        long time = fields.number("timeout_ms", TIME, 1, MOST_TIME);
        String url = fields.text("url").orElse("");
        String method = fields.text("method").orElse("GET");
        byte[] body = fields.bytes("body", "body_base64");
        var outlet = call.sandbox().session().outlet();
        if (outlet.isEmpty()) {
            return Result.failed(
                    "denied: `"
                            + Text.shown(method + " " + url)
                            + "`: no rule leads out; to change that: allow `net:"
                            + Text.shown(method + "=" + url)
                            + "`");
        }
        var request = request(outlet.get(), url, method, fields.map("headers"), body);
        var refusals = new Refusals();
        call.sandbox().watch(refusals);
        try (var client = client(outlet.get())) {
            call.ongoing().whenCancelled(client::shutdownNow);
            var answer = new Answer(HALF, MOST_BODY);
            String failure = send(client, request, answer, time);
            client.shutdownNow();
            return result(request.uri(), answer, failure, call.sandbox(), refusals);
        } finally {
            call.sandbox().forget(refusals);
        }
    }

    private static HttpClient client(Outlet outlet) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(ProxySelector.of(outlet.address()))
                .sslContext(outlet.trust())
                .build();
    }

    private static HttpRequest request(
            Outlet outlet, String url, String method, Map<String, String> headers, byte[] body) {
        var uri = URI.create(url);
        if (uri.getUserInfo() != null) {
            throw new IllegalArgumentException("a URL with a user in it has no one meaning");
        }
        var request =
                HttpRequest.newBuilder(uri)
                        .method(
                                method,
                                body.length == 0
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofByteArray(body));
        headers.forEach(
                (name, value) -> {
                    if (name.toLowerCase(Locale.ROOT).startsWith("proxy-")) {
                        throw new IllegalArgumentException("`" + name + "` is Writ's own");
                    }
                    request.header(name, value);
                });
        return request.setHeader("Proxy-Authorization", "Bearer " + outlet.token()).build();
    }

    /// @return why there is not all of an answer; empty if there is
    private static String send(HttpClient client, HttpRequest request, Answer answer, long time)
            throws InterruptedException {
        try {
            client.sendAsync(request, answer).get(time, TimeUnit.MILLISECONDS);
            return "";
        } catch (TimeoutException e) {
            return "there was no more within " + time + " ms";
        } catch (ExecutionException e) {
            return String.valueOf(e.getCause());
        }
    }

    private static McpSchema.CallToolResult result(
            URI uri, Answer answer, String failure, KeptSandbox sandbox, Refusals refusals) {
        var policy = sandbox.session().policy();
        var refused = refusals.all().stream().filter(r -> isAbout(r.action(), uri)).toList();
        var head = answer.head();
        if (head.isEmpty()) {
            return Result.failed(
                    refused.isEmpty()
                            ? "no answer: " + Text.shown(failure)
                            : Result.denied(policy, refused.getFirst()));
        }
        int status = head.get().statusCode();
        var headers = new LinkedHashMap<String, String>();
        head.get().headers().map().forEach((n, v) -> headers.put(n, String.join(", ", v)));
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put("status", status);
        fields.put("headers", headers);
        fields.put("body", answer.text());
        fields.put("bytes", answer.length());
        fields.put("cut", answer.isCut() || !failure.isEmpty());
        fields.put("refused", Result.fields(policy, refused));
        if (status >= 400 && !refused.isEmpty()) {
            return Result.of("writ: " + Result.denied(policy, refused.getFirst()), fields, true);
        }
        var text = new StringBuilder("HTTP ").append(status).append('\n');
        headers.forEach((n, v) -> text.append(n).append(": ").append(v).append('\n'));
        text.append('\n').append(answer.text());
        if (!failure.isEmpty()) {
            text.append("\n[writ: the rest is missing: ").append(Text.shown(failure)).append("]");
        }
        return Result.of(text.toString(), fields);
    }

    /// Others may be refused something at the same time.
    private static boolean isAbout(Action action, URI uri) {
        return action.text(Scope.SPELLED_OUT).contains(uri.getHost());
    }
}
