// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Files of a sandbox over HTTP, by a client that is not ours.
@Timeout(300)
class FilesIT {
    /// Megabytes: a hundred, or a gigabyte and more with `./test --soak`.
    private static final int LARGE = 100 * Integer.getInteger("writ.soak", 1);

    private static final int MEGABYTE = 1 << 20;

    @TempDir Path folder;
    private final HttpClient http = HttpClient.newHttpClient();
    private DaemonWorld world;
    private String base = "";
    private String token = "";
    private String sandbox = "";

    @BeforeEach
    void start() throws IOException {
        world = new DaemonWorld(folder, OptionalInt.of(0));
        var info = DaemonWorld.object(world.ask("GET", "/v1/info", ""));
        base = String.valueOf(info.get("tcp"));
        token = Files.readString(Path.of(String.valueOf(info.get("token_file")))).strip();
        sandbox =
                world.open(
                        Map.of(
                                "allow",
                                List.of("write:."),
                                "ask",
                                List.of("write:./asked"),
                                "deny",
                                List.of("read:./denied")));
    }

    @AfterEach
    void end() throws IOException {
        http.close();
        world.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(
                        URI.create(
                                base
                                        + "/v1/sandboxes/"
                                        + sandbox
                                        + "/files?path="
                                        + URLEncoder.encode(path, UTF_8)))
                .header("authorization", "Bearer " + token);
    }

    private HttpResponse<String> put(String path, String text, String... fields) throws Exception {
        var request = request(path).PUT(BodyPublishers.ofString(text));
        if (fields.length > 0) {
            request.headers(fields);
        }
        return http.send(request.build(), BodyHandlers.ofString(UTF_8));
    }

    private HttpResponse<String> get(String path, String... fields) throws Exception {
        var request = request(path);
        if (fields.length > 0) {
            request.headers(fields);
        }
        return http.send(request.build(), BodyHandlers.ofString(UTF_8));
    }

    @Test
    void ranges_and_tags_are_as_http_has_them() throws Exception {
        String tag = put("a b", "0123456789").headers().firstValue("etag").orElseThrow();
        var all = get("a b");
        assertThat(all.body()).isEqualTo("0123456789");
        assertThat(all.headers().firstValue("etag")).contains(tag);
        var part = get("a b", "range", "bytes=2-4");
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo("234");
        assertThat(part.headers().firstValue("content-range")).contains("bytes 2-4/10");
        assertThat(get("a b", "range", "bytes=8-").body()).isEqualTo("89");
        assertThat(get("a b", "range", "bytes=-3").body()).isEqualTo("789");
        assertThat(get("a b", "range", "bytes=5-3000").body()).isEqualTo("56789");
        assertThat(get("a b", "range", "bytes=10-").statusCode()).isEqualTo(416);
        assertThat(get("a b", "range", "lines=1").body()).isEqualTo("0123456789");
        assertThat(get("a b", "range", "bytes=8-", "if-range", tag).body()).isEqualTo("89");
        assertThat(get("a b", "range", "bytes=8-", "if-range", "\"old\"").body())
                .isEqualTo("0123456789");

        assertThat(put("a b", "new", "if-match", tag).statusCode()).isEqualTo(200);
        var late = put("a b", "newer", "if-match", tag);
        assertThat(late.statusCode()).isEqualTo(412);
        assertThat(put("a b", "x", "if-none-match", "*").statusCode()).isEqualTo(409);
        assertThat(get("a b").body()).isEqualTo("new");
    }

    @Test
    void a_condition_is_kept_or_refused() throws Exception {
        assertThat(put("c", "x", "if-match", "*").statusCode()).isEqualTo(412);
        assertThat(world.workspace.resolve("c")).doesNotExist();
        String tag = put("c", "one").headers().firstValue("etag").orElseThrow();
        assertThat(put("c", "two", "if-match", "*").statusCode()).isEqualTo(200);
        assertThat(put("c", "x", "if-match", "\"*").statusCode()).isEqualTo(412);
        assertThat(put("c", "x", "if-none-match", tag).statusCode()).isEqualTo(400);
        var delete = request("c").header("if-match", tag).DELETE().build();
        assertThat(http.send(delete, BodyHandlers.discarding()).statusCode()).isEqualTo(400);
        assertThat(get("c").body()).isEqualTo("two");
    }

    @Test
    void names_that_are_not_text_are_reached_by_their_bytes() throws Exception {
        var uri = base + "/v1/sandboxes/" + sandbox + "/files?path=n%";
        for (var name : new String[] {"FF", "FE"}) {
            var request = HttpRequest.newBuilder(URI.create(uri + name));
            request.header("authorization", "Bearer " + token);
            http.send(
                    request.PUT(BodyPublishers.ofString(name)).build(), BodyHandlers.discarding());
            assertThat(http.send(request.GET().build(), BodyHandlers.ofString(UTF_8)).body())
                    .isEqualTo(name);
        }
        try (var names = Files.list(world.workspace)) {
            assertThat(names).hasSize(2);
        }
    }

    @Test
    void a_refusal_has_the_rule_and_what_would_help() throws Exception {
        Files.writeString(world.workspace.resolve("denied"), "Canary");
        var denied = get("denied");
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(denied.body())
                .contains("\"code\": \"policy.denied\"", "read:./denied", "\"remedy\":")
                .doesNotContain("Canary");
        assertThat(put("../x", "x").statusCode()).isEqualTo(403);
        assertThat(get("").statusCode()).isEqualTo(400);
    }

    @Test
    void a_question_holds_the_request_until_it_is_answered() throws Exception {
        var writing = CompletableFuture.supplyAsync(this::sendAsked);
        var waiting = world.ask("GET", "/v1/approvals?after=0&wait_ms=20000", "");
        var one = DaemonWorld.object(DaemonWorld.list(waiting.json(), "approvals").getFirst());
        assertThat(writing).isNotDone();
        assertThat(world.workspace.resolve("asked")).doesNotExist();
        try (var client = world.client().with("writ-approver", world.approver())) {
            String yes = "{\"decision\": \"approve\", \"digest\": \"" + one.get("digest") + "\"}";
            assertThat(client.ask("POST", "/v1/approvals/" + one.get("id"), yes).status())
                    .isEqualTo(200);
        }
        assertThat(writing.join()).isEqualTo(200);
        assertThat(world.workspace.resolve("asked")).hasContent("yes");
    }

    private int sendAsked() {
        try {
            return put("asked", "yes").statusCode();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// Shows that every byte arrives. How much memory that takes is not looked at here.
    @Test
    void a_large_file_passes_both_ways_bit_by_bit() throws Exception {
        long size = (long) LARGE * MEGABYTE;
        var body = BodyPublishers.ofInputStream(() -> new Counted(size));
        var put = request("large").PUT(body).build();
        assertThat(http.send(put, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        assertThat(Files.size(world.workspace.resolve("large"))).isEqualTo(size);
        long count = 0;
        byte[] piece = new byte[MEGABYTE];
        try (var in = http.send(request("large").build(), BodyHandlers.ofInputStream()).body()) {
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                assertThat(piece[0]).isEqualTo((byte) (count % 251));
                count += n;
            }
        }
        assertThat(count).isEqualTo(size);
    }

    /// As many bytes as wanted, each known by its place.
    private static final class Counted extends InputStream {
        private final long size;
        private long at;

        Counted(long size) {
            this.size = size;
        }

        @Override
        public int read() {
            return at == size ? -1 : (int) (at++ % 251);
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            int count = (int) Math.min(length, size - at);
            for (int i = 0; i < count; i++) {
                to[offset + i] = (byte) read();
            }
            return count == 0 ? -1 : count;
        }
    }

    @Test
    void who_goes_away_in_the_middle_leaves_everything_as_it_was() throws Exception {
        put("kept", "before");
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(world.socket()))) {
            String head =
                    "PUT /v1/sandboxes/"
                            + sandbox
                            + "/files?path=kept HTTP/1.1\r\nhost: localhost\r\n"
                            + "content-length: 1000\r\n\r\nhalf";
            channel.write(ByteBuffer.wrap(head.getBytes(UTF_8)));
        }
        world.ask("DELETE", "/v1/sandboxes/" + sandbox, "");
        assertThat(world.workspace.resolve("kept")).hasContent("before");
        try (var names = Files.list(world.workspace)) {
            assertThat(names).hasSize(1);
        }
    }
}
