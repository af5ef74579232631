// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.json.JsonReader;
import dev.writ.trust.Json;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A real browser without a screen, led over the DevTools protocol. One page.
final class Browser implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 30;
    private static final int MOST = 64 << 20;

    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicLong next = new AtomicLong(1);
    private final Map<Long, CompletableFuture<Map<?, ?>>> asked = new ConcurrentHashMap<>();

    /// Where a browser is; none if there is none.
    static List<Path> installed() {
        return List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .stream()
                .map(Path::of)
                .filter(Files::isExecutable)
                .toList();
    }

    /// @param folder for its profile
    Browser(Path folder, String... more) throws Exception {
        var words =
                new ArrayList<>(
                        List.of(
                                installed().getFirst().toString(),
                                "--headless=new",
                                // The browser's own sandbox does not start for root; the pages are
                                // ours.
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--force-color-profile=srgb",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + folder));
        words.addAll(List.of(more));
        words.add("about:blank");
        Files.createDirectories(folder);
        var builder =
                new ProcessBuilder(words)
                        .redirectInput(new File("/dev/null"))
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("browser.log").toFile());
        builder.environment().put("TMPDIR", folder.toString());
        process = builder.start();
        try {
            int port = port(folder.resolve("DevToolsActivePort"));
            var request =
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "http://127.0.0.1:" + port + "/json/new?about:blank"))
                            .method("PUT", BodyPublishers.noBody())
                            .build();
            var target = read(http.send(request, BodyHandlers.ofString(UTF_8)).body());
            socket =
                    http.newWebSocketBuilder()
                            .buildAsync(
                                    URI.create(String.valueOf(target.get("webSocketDebuggerUrl"))),
                                    new Listener())
                            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            end();
            throw e;
        }
    }

    private int port(Path file) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() < end && process.isAlive()) {
            if (Files.exists(file) && Files.readString(file).contains("\n")) {
                return Integer.parseInt(Files.readString(file).lines().findFirst().orElseThrow());
            }
            Thread.sleep(20);
        }
        throw new IOException("the browser did not start");
    }

    private static Map<?, ?> read(String text) {
        return (Map<?, ?>)
                Objects.requireNonNull(
                        JsonReader.read(text.getBytes(UTF_8), MOST, JsonReader.Numbers.ANY));
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                var message = read(text.toString());
                text.setLength(0);
                if (message.get("id") instanceof Long id) {
                    var waiting = asked.remove(id);
                    if (waiting != null) {
                        waiting.complete(message);
                    }
                }
            }
            from.request(1);
            return null;
        }
    }

    /// Sends a command of the protocol, and gives its result.
    Map<?, ?> send(String method, Map<String, ?> parameters) throws Exception {
        long id = next.getAndIncrement();
        var answer = new CompletableFuture<Map<?, ?>>();
        asked.put(id, answer);
        socket.sendText(Json.write(Map.of("id", id, "method", method, "params", parameters)), true)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        var message = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!(message.get("result") instanceof Map<?, ?> result)) {
            throw new IOException(method + ": " + message);
        }
        return result;
    }

    void go(String url) throws Exception {
        send("Page.navigate", Map.of("url", url));
    }

    /// What a script in the page gives, as text. It may wait.
    String run(String script) throws Exception {
        var result =
                send(
                        "Runtime.evaluate",
                        Map.of(
                                "expression",
                                "(async () => String(await (" + script + ")))()",
                                "awaitPromise",
                                true,
                                "userGesture",
                                true,
                                "returnByValue",
                                true));
        if (result.get("exceptionDetails") != null) {
            return "threw " + Json.write(String.valueOf(result.get("exceptionDetails")));
        }
        return result.get("result") instanceof Map<?, ?> value
                ? String.valueOf(value.get("value"))
                : "";
    }

    /// Waits until a script gives `true`.
    void await(String script) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!run(script).equals("true")) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "never came true: " + script + "\n" + run("document.body.innerText"));
            }
            Thread.sleep(30);
        }
    }

    /// Presses a key that writes a character.
    void press(String key) throws Exception {
        for (var type : List.of("keyDown", "keyUp")) {
            send("Input.dispatchKeyEvent", Map.of("type", type, "key", key, "text", key));
        }
    }

    /// @return the picture, in base64
    String picture(int width, int height, boolean dark, boolean phone) throws Exception {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width", width,
                        "height", height,
                        "deviceScaleFactor", phone ? 2 : 1,
                        "mobile", phone));
        send(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(
                                Map.of(
                                        "name",
                                        "prefers-color-scheme",
                                        "value",
                                        dark ? "dark" : "light"))));
        Thread.sleep(300);
        return String.valueOf(send("Page.captureScreenshot", Map.of("format", "png")).get("data"));
    }

    private void end() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        socket.abort();
        http.close();
        end();
    }
}
