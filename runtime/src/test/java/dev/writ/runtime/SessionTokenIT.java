// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.file.Draft;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.egress.Resolver;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.trust.biscuit.Signer;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Minting;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.RevocationFile;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.TokenVerifier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sessions that are opened with a token: what the policy permits and the token does not is not
/// possible, by whatever means. Each is tried without a token first, and works.
@Timeout(120)
class SessionTokenIT {
    private static final Signer ROOT = Signer.of(SigningKey.make("root"));
    private static final Signer HOLDER = Signer.of(SigningKey.make("holder"));
    private static final Signer HELPER = Signer.of(SigningKey.make("helper"));

    /// What programs need to start.
    private static final List<String> SYSTEM =
            List.of("read:/usr", "read:/etc/ld.so.cache", "read:/proc/self");

    private static final String VALUE = "a-value-that-nobody-sees";
    private static final String PROGRAMS = "exec:/usr/bin/*";

    @TempDir Path temporary;
    private Path folder;
    private RevocationFile revocations;
    private final InMemoryAuditLog log = new InMemoryAuditLog();

    @BeforeEach
    void given() throws IOException {
        var real = temporary.toRealPath();
        folder = Files.createDirectory(real.resolve("work"));
        Files.createDirectory(folder.resolve("src"));
        Files.writeString(folder.resolve("src/note"), "fine");
        Files.writeString(folder.resolve("other"), "Canary");
        revocations = new RevocationFile(real.resolve("state/revocations"));
    }

    private FilePath here() {
        return FilePath.of(folder.toString());
    }

    private Scope scope() {
        return Config.of(folder, Map.of("PATH", "/usr/bin", "HOME", "/nowhere")).scope(here());
    }

    /// Folders and nothing finer, so that the kernel enforces it by itself.
    private Policy folders() {
        var rules =
                Stream.of("read:/usr", "write:" + folder, "exec:/usr/bin/**")
                        .map(c -> Rule.parse(Effect.ALLOW, c, scope(), Source.of("test")))
                        .toList();
        return Policy.of(scope(), rules, List.of());
    }

    private Policy policy(String... allowed) {
        var loader = new PolicyLoader(scope(), List.of()).profile("workspace", Source.of("test"));
        for (var rule : allowed) {
            loader.rule(Effect.ALLOW, rule, here());
        }
        return loader.load();
    }

    private Grant grant(Signer holder, String name, Instant expires, Stream<String> allowed) {
        return grant(holder, name, expires, 3, Stream.concat(allowed, Stream.of(PROGRAMS)));
    }

    private Grant grant(
            Signer holder, String name, Instant expires, int depth, Stream<String> allowed) {
        return new Grant(
                holder.key(),
                Optional.of(name),
                Stream.concat(SYSTEM.stream(), allowed)
                        .map(c -> c.replace("./", folder + "/"))
                        .map(c -> new Grant.Line(Effect.ALLOW, c))
                        .toList(),
                Instant.ofEpochSecond(Instant.now().getEpochSecond()),
                Instant.ofEpochSecond(expires.getEpochSecond()),
                depth,
                Grant.Terms.NONE);
    }

    private Token token(String... allowed) {
        var later = Instant.now().plusSeconds(3600);
        return Minting.mint(grant(HOLDER, "coder", later, Arrays.stream(allowed)), ROOT);
    }

    private SessionToken present(Policy policy, Token token, Signer holder) {
        var challenge = SessionToken.Challenge.of(SessionNames.next());
        return SessionToken.present(
                token,
                challenge,
                challenge.prove(token, holder),
                new TokenVerifier(ROOT.key(), policy.scope().programs(), revocations),
                policy,
                InstantSource.system());
    }

    private Writ writ(Map<String, String> variables) {
        return new Writ(variables)
                .resolvingBy(
                        Resolver.giving(
                                Map.of(
                                        "a.test", List.of(InetAddress.getLoopbackAddress()),
                                        "b.test", List.of(InetAddress.getLoopbackAddress())),
                                Resolver.system()));
    }

    private Session open(Policy policy, Token token) {
        return writ(Map.of("SHOWN", "1", "HIDDEN", VALUE))
                .open(present(policy, token, HOLDER), here(), "", log);
    }

    /// What a script says under the policy alone, and with the token besides.
    private void differs(Policy policy, Token token, String script, String without, String with)
            throws Exception {
        var command = List.of("sh", "-c", script);
        try (var session = writ(Map.of("SHOWN", "1", "HIDDEN", VALUE)).open(policy, here())) {
            assertThat(session.run(command).output()).as("without a token").isEqualTo(without);
        }
        try (var session = open(policy, token)) {
            assertThat(session.run(command).output()).as("with the token").isEqualTo(with);
        }
    }

    // --- files ---

    @Test
    void what_the_kernel_would_let_pass_by_itself_is_bound_by_the_token() throws Exception {
        var policy = folders();
        assertThat(new ProcessBackend().plan(policy).reads().brokered()).isFalse();
        assertThat(new ProcessBackend().plan(policy).writes().brokered()).isFalse();
        var token = token("read:./src");

        differs(policy, token, "cat src/note other", "fineCanary", "fine");
        differs(policy, token, "echo x > src/new && cat src/new", "x\n", "");
        differs(policy, token, "rm src/new; test -e src/new || echo gone", "gone\n", "gone\n");
        differs(policy, token, "echo x > new; mv other moved; ls", "moved\nnew\nsrc\n", "");
        assertThat(folder.resolve("moved")).hasContent("Canary");
    }

    @Test
    void neither_children_nor_links_nor_descriptors_lead_out_of_it() throws Exception {
        Files.createSymbolicLink(folder.resolve("src/link"), folder.resolve("other"));
        Files.createLink(folder.resolve("src/hard"), folder.resolve("other"));
        var token = token("read:./src", "write:./src");

        differs(folders(), token, "sh -c 'sh -c \"cat other\"; :'", "Canary", "");
        differs(folders(), token, "cat src/link; cat /proc/self/cwd/other", "CanaryCanary", "");
        differs(folders(), token, "cd src; cat ../other", "Canary", "");
        differs(folders(), token, "ln -s ../other src/l2; cat src/l2", "Canary", "");
        differs(folders(), token, "ln other src/l3 && cat src/l3", "Canary", "");
        differs(folders(), token, "mv src/note note2 && cat note2; mv note2 src/note", "fine", "");
    }

    @Test
    void a_deny_of_a_token_holds_for_what_links_lead_to() throws Exception {
        Files.createSymbolicLink(folder.resolve("alias"), folder.resolve("other"));
        var lines =
                Stream.concat(SYSTEM.stream(), Stream.of(PROGRAMS, "read:" + folder))
                        .map(c -> new Grant.Line(Effect.ALLOW, c));
        var deny = Stream.of(new Grant.Line(Effect.DENY, "read:" + folder + "/alias"));
        var plain = grant(HOLDER, "coder", Instant.now().plusSeconds(600), Stream.empty());
        var token =
                Minting.mint(
                        new Grant(
                                plain.holder(),
                                plain.name(),
                                Stream.concat(lines, deny).toList(),
                                plain.issued(),
                                plain.expires(),
                                3,
                                Grant.Terms.NONE),
                        ROOT);

        differs(policy(), token, "cat other alias", "CanaryCanary", "");
    }

    @Test
    void a_link_that_the_agent_can_make_widens_no_token() throws Exception {
        Files.createSymbolicLink(folder.resolve("sub"), temporary.toRealPath());
        Files.writeString(temporary.toRealPath().resolve("beyond"), "Canary");
        var policy = policy("read:" + temporary.toRealPath());

        differs(policy, token("read:./sub"), "cat sub/beyond", "Canary", "");
    }

    @Test
    void what_other_places_decode_is_an_ordinary_name_here() throws Exception {
        Files.createDirectory(folder.resolve("src/%2e%2e"));
        Files.writeString(folder.resolve("src/%2e%2e/own"), "own");
        var token = token("read:./src");

        differs(folders(), token, "cat src/../other", "Canary", "");
        differs(folders(), token, "cat src/%2e%2e/other; cat src/%2e%2e/own", "own", "own");
    }

    // --- programs, variables, the network ---

    @Test
    void programs_and_variables_are_bound_as_well() throws Exception {
        var some = Stream.of("env:SHOWN", "exec:dash", "exec:/usr/bin/cat src/*");
        var grant = grant(HOLDER, "coder", Instant.now().plusSeconds(600), 0, some);
        var token = Minting.mint(grant, ROOT);
        var policy = policy("env:SHOWN", "env:HIDDEN");

        differs(policy, token, "echo $SHOWN$HIDDEN", "1" + VALUE + "\n", "1\n");
        differs(policy, token, "env true && echo ran; echo end", "ran\nend\n", "end\n");
        differs(policy, token, "cat other", "Canary", "");
        differs(
                policy,
                token,
                "sh -c 'exec /lib64/ld-linux-x86-64.so.2 /usr/bin/echo ran'",
                "ran\n",
                "");
    }

    @Test
    void the_way_out_leads_only_where_both_do() throws Exception {
        assumeThat(Path.of("/usr/bin/curl")).as("this machine has curl").exists();
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            int port = server.getLocalPort();
            Thread.ofVirtual().start(() -> serve(server));
            var policy =
                    policy(
                            "net:allow=http://a.test:" + port,
                            "net:allow=http://b.test:" + port,
                            "net:127.0.0.1:" + port);
            var token =
                    token(
                            "net:GET=http://a.test:" + port + "/v1/**",
                            "read:/etc/nsswitch.conf",
                            "read:/etc/hosts",
                            "read:/etc/host.conf",
                            "read:/etc/resolv.conf");
            String to = "curl -sS -m 10 -o /dev/null -w '%{http_code} ' http://";

            differs(policy, token, to + "a.test:" + port + "/v1/x", "200 ", "200 ");
            differs(policy, token, to + "a.test:" + port + "/v2", "200 ", "403 ");
            differs(policy, token, to + "a.test:" + port + "/v1/x -d x", "200 ", "403 ");
            differs(policy, token, to + "b.test:" + port + "/v1/x", "200 ", "000 ");
            differs(policy, token, to + "127.0.0.1:" + port + "/v1/x", "200 ", "000 ");
            differs(policy, token, "getent hosts a.test | wc -l", "1\n", "1\n");
            differs(policy, token, "getent hosts b.test | wc -l", "1\n", "0\n");
        }
    }

    @Test
    void a_secret_goes_nowhere_that_the_token_does_not_say() throws Exception {
        assumeThat(Path.of("/usr/bin/curl")).as("this machine has curl").exists();
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String at = "http://a.test:" + server.getLocalPort();
            Thread.ofVirtual().start(() -> serve(server));
            var file = temporary.resolve("writ.yaml");
            Files.writeString(
                    file,
                    "version: 1\nextends: [workspace]\nallow: ['net:allow="
                            + at
                            + "']\nsecrets:\n  key: {from: env:HIDDEN, to: '"
                            + at
                            + "', as: 'Authorization: Bearer {}'}\n");
            var policy = new PolicyLoader(scope(), List.of()).file(file, "writ.yaml").load();
            String curl = "curl -sS -m 10 -o - -w '%{http_code} ' " + at;

            differs(policy, token("net:allow=" + at), curl, "299 ", "200 ");
            differs(policy, token("net:allow=" + at, "secret:key@" + at), curl, "299 ", "299 ");
        }
    }

    private static void serve(ServerSocket server) {
        try {
            while (true) {
                try (var client = server.accept()) {
                    byte[] head = new byte[4096];
                    int length = client.getInputStream().read(head);
                    boolean told =
                            new String(head, 0, Math.max(0, length), US_ASCII).contains(VALUE);
                    String status = told ? "299 Told" : "200 OK";
                    String answer =
                            "HTTP/1.1 "
                                    + status
                                    + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                    client.getOutputStream().write(answer.getBytes(US_ASCII));
                }
            }
        } catch (IOException e) {
            // the test is over
        }
    }

    // --- who and until when ---

    @Test
    void the_record_says_which_token_and_which_block_refused() throws Exception {
        var token = token("read:" + folder);
        var later = Instant.now().plusSeconds(600);
        var helper =
                Narrowing.narrow(
                        token,
                        grant(HELPER, "helper", later, 0, Stream.of("read:./src", PROGRAMS)),
                        HOLDER);
        try (var session =
                writ(Map.of()).open(present(folders(), helper, HELPER), here(), "", log)) {
            session.run(List.of("cat", "other"));
        }

        assertThat(log.events().stream().filter(AuditEvent.TokenUsed.class::isInstance))
                .extracting(e -> ((AuditEvent.TokenUsed) e).holder())
                .containsExactly(HOLDER.key().toString(), HELPER.key().toString());
        assertThat(verdicts())
                .filteredOn(e -> !e.permitted())
                .anySatisfy(
                        e -> {
                            assertThat(e.code()).isEqualTo("token.denied");
                            assertThat(e.reason())
                                    .matches(
                                            "block 1, given by coder \\(.*\\) to helper \\(.*\\), does not include `read:.*/other`");
                        });
    }

    @Test
    void a_token_without_its_holders_key_opens_nothing() {
        assertThatThrownBy(() -> present(folders(), token("read:./src"), HELPER))
                .isInstanceOf(TokenException.class)
                .hasMessageContaining("given to coder");
    }

    private static final String LOOP = "while :; do cat src/note > /dev/null; done";

    @Test
    void a_token_that_is_revoked_ends_what_runs() throws Exception {
        var token = token("read:./src", "device:/dev/null", "write:/dev/null");
        try (var session = open(policy(), token);
                var sandbox = session.start(find(session), loop(), Streams.PIPED);
                var idle =
                        session.start(
                                find(session), List.of("sh", "-c", "sleep 100"), Streams.PIPED)) {
            waitForVerdicts();
            waitFor(() -> verdicts().anyMatch(e -> e.action().toString().contains("/sleep")));
            revocations.revoke(HOLDER.key());

            assertThat(sandbox.await()).isEqualTo(137);
            assertThat(idle.await()).isEqualTo(137);
            assertThat(session.run(List.of("true")).exitCode()).isNotZero();
        }
        assertThat(log.events())
                .filteredOn(AuditEvent.TokenRevoked.class::isInstance)
                .singleElement()
                .extracting(e -> ((AuditEvent.TokenRevoked) e).why())
                .asString()
                .endsWith("is revoked");
    }

    @Test
    void the_files_of_a_session_are_bound_by_its_token_until_it_ends() throws Exception {
        var any = Draft.Wish.ANY;
        try (var session = open(policy(), token("read:./src", "write:./src"))) {
            var files = session.files();
            files.write("src/new", "1".getBytes(UTF_8), any);
            assertThatThrownBy(() -> files.write("free", "1".getBytes(UTF_8), any))
                    .hasMessageContaining("block 0");
            try (var draft = files.write("src/slow", any)) {
                draft.write(ByteBuffer.wrap("1".getBytes(UTF_8)));
                revocations.revoke(HOLDER.key());
                assertThatThrownBy(draft::commit).hasMessageContaining("is revoked");
            }
            assertThatThrownBy(() -> files.read("src/new")).hasMessageContaining("is revoked");
        }
        assertThat(folder.resolve("src/new")).hasContent("1");
        assertThat(folder.resolve("src/slow")).doesNotExist();
        assertThat(folder.resolve("free")).doesNotExist();
    }

    @Test
    void a_token_that_expires_ends_what_runs() throws Exception {
        var soon = Instant.now().plusSeconds(3);
        var token =
                Minting.mint(
                        grant(
                                HOLDER,
                                "coder",
                                soon,
                                Stream.of("read:./src", "device:/dev/null", "write:/dev/null")),
                        ROOT);
        try (var session = open(policy(), token);
                var sandbox = session.start(find(session), loop(), Streams.PIPED)) {
            assertThat(sandbox.await()).isEqualTo(137);
        }
        assertThat(log.events()).hasAtLeastOneElementOfType(AuditEvent.TokenRevoked.class);
    }

    private FilePath find(Session session) {
        return session.find("sh").orElseThrow();
    }

    private static List<String> loop() {
        return List.of("sh", "-c", LOOP);
    }

    private void waitForVerdicts() throws InterruptedException {
        waitFor(() -> log.events().size() > 19);
    }

    private static void waitFor(BooleanSupplier what) throws InterruptedException {
        for (int i = 0; i < 1000 && !what.getAsBoolean(); i++) {
            Thread.sleep(10);
        }
        assertThat(what.getAsBoolean()).isTrue();
    }

    private Stream<AuditEvent.Judged> verdicts() {
        return log.events().stream()
                .filter(AuditEvent.Judged.class::isInstance)
                .map(AuditEvent.Judged.class::cast);
    }
}
