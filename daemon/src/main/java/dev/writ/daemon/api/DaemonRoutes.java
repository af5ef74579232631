// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.daemon.http.Response;
import dev.writ.daemon.sandbox.Events;
import dev.writ.daemon.sandbox.Sandboxes;
import dev.writ.trust.event.Credentials;
import dev.writ.trust.event.Entry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// About the daemon itself: what it is, how it is, what happens in it.
public final class DaemonRoutes {
    private static final int MOST_AT_ONCE = 200;
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(500);

    private final Sandboxes sandboxes;
    private final Map<String, @Nullable Object> info;
    private final LongSupplier requests;
    private final Runnable end;
    private final Credentials credentials = new Credentials();
    private final SecureRandom salts = new SecureRandom();

    /// @param info what there is to say about it that does not change
    /// @param end makes it end, soon
    public DaemonRoutes(
            Sandboxes sandboxes,
            Map<String, @Nullable Object> info,
            LongSupplier requests,
            Runnable end) {
        this.sandboxes = sandboxes;
        this.info = info;
        this.requests = requests;
        this.end = end;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/info", this::info),
                Route.get("/v1/health", c -> c.answer(Map.of("status", "ok"))),
                Route.get("/v1/metrics", this::metrics),
                Route.get("/v1/events", this::events),
                Route.post("/v1/shutdown", this::shutdown));
    }

    private void info(Call call) throws IOException {
        var map = new LinkedHashMap<>(info);
        var counts = sandboxes.counts();
        map.put("sandboxes", counts.get("sandboxes"));
        map.put("processes", counts.get("processes"));
        call.answer(map);
    }

    private void metrics(Call call) throws IOException {
        var text = new StringBuilder();
        var all = new TreeMap<>(sandboxes.counts());
        all.put("requests_total", requests.getAsLong());
        var heap = Runtime.getRuntime();
        all.put("heap_bytes", heap.totalMemory() - heap.freeMemory());
        all.forEach(
                (name, value) ->
                        text.append("# TYPE writ_")
                                .append(name)
                                .append(name.endsWith("_total") ? " counter" : " gauge")
                                .append("\nwrit_")
                                .append(name)
                                .append(' ')
                                .append(value)
                                .append('\n'));
        call.response()
                .send(
                        200,
                        "text/plain; version=0.0.4; charset=utf-8",
                        text.toString().getBytes(UTF_8));
    }

    private void shutdown(Call call) throws IOException {
        call.fields();
        call.answer(202, Map.of("status", "ending"));
        end.run();
    }

    private void events(Call call) throws IOException {
        var query = call.query(List.of("after", "sandbox", "follow"));
        long after = number(query.getOrDefault("after", "0"));
        boolean follow = !query.getOrDefault("follow", "true").equals("false");
        String sandbox = query.getOrDefault("sandbox", "");
        var stream = call.response().stream(200, Call.LINES);
        stream.begin();
        try {
            send(stream, after, sandbox, follow);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void send(Response.Stream stream, long from, String sandbox, boolean follow)
            throws IOException, InterruptedException {
        var events = sandboxes.events();
        long after = from;
        while (!events.isClosed()) {
            var some = events.after(after, follow ? LOOK : 0, MOST_AT_ONCE);
            var lines = new ByteArrayOutputStream();
            for (var event : some) {
                after = event.number();
                if (sandbox.isEmpty() || event.event().session().value().equals(sandbox)) {
                    lines.writeBytes(line(event));
                }
            }
            stream.write(lines.toByteArray(), lines.size());
            if (some.isEmpty() && (!follow || stream.isGone())) {
                break;
            }
        }
        stream.close(new byte[0]);
    }

    /// As it is in the record: without what looks like a credential.
    private byte[] line(Events.Numbered event) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("seq", event.number());
        map.putAll(Entry.of(event.event(), credentials, salts).event().fields());
        return Wire.bytes(map);
    }

    private static long number(String text) {
        try {
            return Math.max(0, Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw ApiException.invalid("`after` must be a number");
        }
    }
}
