// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.SessionId;
import dev.writ.daemon.client.DaemonClient;
import dev.writ.runtime.SessionToken.Challenge;
import dev.writ.runtime.Tokens;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.Json;
import dev.writ.trust.token.Token;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sandboxes that are opened with a token over the API: by its holder only, for what it permits, as
/// long as it holds.
@Timeout(120)
class TokensIT {
    private static final List<String> SYSTEM =
            List.of(
                    "read:/usr",
                    "read:/lib",
                    "read:/lib64",
                    "read:/bin",
                    "read:/etc",
                    "read:/dev/null",
                    "write:/dev/null",
                    "shell:*");

    @TempDir Path folder;
    private DaemonWorld world;
    private Tokens tokens;

    @BeforeEach
    void start() throws IOException {
        world = new DaemonWorld(folder, OptionalInt.empty());
        Files.createDirectories(world.workspace.resolve("src"));
        var state = Path.of(world.config.state().toString());
        tokens = new Tokens(new Installation(state), InstantSource.system());
        for (var name : List.of("coder", "helper", "thief")) {
            made("/v1/tokens/holders", Map.of("name", name));
        }
    }

    @AfterEach
    void end() throws IOException {
        world.close();
    }

    private DaemonClient.Answer ask(String path, Map<String, ?> fields, String secret)
            throws IOException {
        try (var client = world.client()) {
            return client.with("writ-approver", secret).ask("POST", path, Json.write(fields));
        }
    }

    /// As the operator.
    private Map<String, @Nullable Object> made(String path, Map<String, ?> fields)
            throws IOException {
        var answer = ask(path, fields, world.approver());
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        return DaemonWorld.object(answer);
    }

    private Map<String, ?> giving(String whom, String... allowed) {
        var rules = new ArrayList<>(SYSTEM);
        rules.addAll(List.of(allowed));
        return Map.of("for", whom, "workspace", world.workspace.toString(), "allow", rules);
    }

    private String mint(String whom, String... allowed) throws IOException {
        return String.valueOf(made("/v1/tokens/mint", giving(whom, allowed)).get("token"));
    }

    private Challenge challenge() throws IOException {
        var made = DaemonWorld.object(world.ask("POST", "/v1/tokens/challenges", "{}"));
        return new Challenge(
                new SessionId(String.valueOf(made.get("challenge"))),
                HexFormat.of().parseHex(String.valueOf(made.get("nonce"))));
    }

    private DaemonClient.Answer open(String token, Challenge challenge, byte[] proof)
            throws IOException {
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put("workspace", world.workspace.toString());
        fields.put("policy", Map.of("allow", List.of("read:/**", "write:.", "shell:*")));
        fields.put("token", token);
        fields.put("challenge", challenge.session().value());
        fields.put("proof", HexFormat.of().formatHex(proof));
        return world.ask("POST", "/v1/sandboxes", Json.write(fields));
    }

    private String open(String token, String holder) throws IOException {
        var challenge = challenge();
        var proof = challenge.prove(Token.parse(token), tokens.signer(holder));
        var answer = open(token, challenge, proof);
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        var sandbox = DaemonWorld.object(answer);
        assertThat(sandbox).containsEntry("id", challenge.session().value());
        assertThat(String.valueOf(sandbox.get("token"))).contains(holder);
        return challenge.session().value();
    }

    @Test
    void the_narrower_of_policy_and_token_holds() throws Exception {
        String script = "echo x > src/a; echo x > b; cat src/a";
        var without = world.open();
        assertThat(DaemonWorld.text(world.shell(without, script), "stdout")).isEqualTo("x\n");
        assertThat(world.workspace.resolve("b")).exists();
        Files.delete(world.workspace.resolve("b"));

        var sandbox = open(mint("coder", "write:./src/**", "read:."), "coder");
        var events = world.shell(sandbox, script);
        assertThat(DaemonWorld.text(events, "stdout")).isEqualTo("x\n");
        assertThat(world.workspace.resolve("b")).doesNotExist();
        assertThat(events.toString()).contains("block 0").contains("coder");

        String coder = mint("coder", "write:./src/**", "read:.");
        var more = withToken(giving("helper", "write:./**", "read:."), coder);
        var refused = ask("/v1/tokens/narrow", more, world.approver());
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.body()).contains("is more than coder");
        var helper = withToken(giving("helper", "write:./src/test/**", "read:."), coder);
        String narrowed = String.valueOf(made("/v1/tokens/narrow", helper).get("token"));
        Files.createDirectories(world.workspace.resolve("src/test"));
        var less = world.shell(open(narrowed, "helper"), "echo x > src/test/a; echo x > src/b");
        assertThat(world.workspace.resolve("src/test/a")).exists();
        assertThat(world.workspace.resolve("src/b")).doesNotExist();
        assertThat(less.toString()).contains("block 1, given by coder").contains("to helper");
    }

    private static Map<String, ?> withToken(Map<String, ?> giving, String token) {
        var all = new LinkedHashMap<String, @Nullable Object>(giving);
        all.put("token", token);
        all.put("by", "coder");
        return all;
    }

    @Test
    void a_token_is_good_for_its_holder_once_for_each_challenge() throws Exception {
        String token = mint("coder", "write:./src/**");
        var parsed = Token.parse(token);
        var coder = tokens.signer("coder");
        var first = challenge();
        var other = challenge();
        assertRefused(
                open(token, first, first.prove(parsed, tokens.signer("thief"))), "another key");
        assertRefused(open(token, first, first.prove(parsed, coder)), "answered already");
        assertRefused(open(token, other, first.prove(parsed, coder)), "another key");
        var good = challenge();
        byte[] proof = good.prove(parsed, coder);
        assertThat(open(token, good, proof).status()).isEqualTo(201);
        assertRefused(open(token, good, proof), "answered already");
        var invented = Challenge.of(new SessionId("20260101T000000-0123456789"));
        assertRefused(open(token, invented, invented.prove(parsed, coder)), "is unknown");
    }

    private static void assertRefused(DaemonClient.Answer answer, String why) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(403);
        assertThat(answer.body()).contains("token.refused").contains(why);
    }

    @Test
    void a_token_that_is_taken_back_ends_what_runs() throws Exception {
        String token = mint("coder", "write:./src/**", "read:.");
        var sandbox = open(token, "coder");
        try (var threads = Executors.newSingleThreadExecutor()) {
            var running =
                    threads.submit(
                            () -> world.shell(sandbox, "echo there > src/a; exec sleep 100"));
            for (int i = 0; i < 200 && !Files.exists(world.workspace.resolve("src/a")); i++) {
                Thread.sleep(50);
            }
            assertThat(world.workspace.resolve("src/a")).exists();
            var answer = ask("/v1/tokens/revoke", Map.of("token", token), world.approver());
            assertThat(answer.status()).as(answer.body()).isEqualTo(204);
            assertThat(running.get(30, TimeUnit.SECONDS).getLast()).containsEntry("code", 137L);
        }
        assertThat(DaemonWorld.text(world.shell(sandbox, "echo x > src/late"), "stdout")).isEmpty();
        assertThat(world.workspace.resolve("src/late")).doesNotExist();
        var challenge = challenge();
        var proof = challenge.prove(Token.parse(token), tokens.signer("coder"));
        assertRefused(open(token, challenge, proof), "is revoked");
    }

    @Test
    void a_file_that_is_being_read_ends_with_the_token() throws Exception {
        long size = 64L << 20;
        try (var file = new RandomAccessFile(world.workspace.resolve("src/big").toFile(), "rw")) {
            file.setLength(size);
        }
        String token = mint("coder", "read:./src");
        var sandbox = open(token, "coder");
        assertThat(read(sandbox, () -> {})).as("nobody takes it back").isGreaterThan(size);
        assertThat(
                        read(
                                sandbox,
                                () -> {
                                    ask(
                                            "/v1/tokens/revoke",
                                            Map.of("token", token),
                                            world.approver());
                                    Thread.sleep(500); // longer than a look at the list is believed
                                }))
                .isLessThan(size);
    }

    private interface Meanwhile {
        void run() throws Exception;
    }

    /// How many bytes come of an answer, of which a little is read before something happens.
    private long read(String sandbox, Meanwhile meanwhile) throws Exception {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(world.socket()))) {
            String head = "GET /v1/sandboxes/" + sandbox + "/files?path=src/big HTTP/1.1\r\n";
            head += "host: writ\r\nconnection: close\r\n\r\n";
            channel.write(ByteBuffer.wrap(head.getBytes(US_ASCII)));
            var bytes = ByteBuffer.allocate(1 << 16);
            long count = channel.read(bytes);
            meanwhile.run();
            for (int n = 0; n >= 0; n = channel.read(bytes.clear())) {
                count += n;
            }
            return count;
        }
    }

    @Test
    void what_takes_a_key_of_the_installation_is_the_operators() throws Exception {
        String token = mint("coder", "write:./src/**");
        for (var secret : List.of("none", "0".repeat(64))) {
            for (var path : List.of("mint", "narrow", "revoke", "holders")) {
                var answer = ask("/v1/tokens/" + path, Map.of("token", token), secret);
                assertThat(answer.status()).as(path).isEqualTo(403);
                assertThat(answer.body()).contains("operator.only");
            }
        }
        assertThat(open(token, "coder")).isNotEmpty();
    }
}
