// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.Posture.Enforcer;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A session may connect to what it has made itself, wherever that lies, and to nothing else; not
/// even in its folder for temporary files, if it has brought it there.
@Timeout(120)
class OwnSocketsIT {
    private static final String CONNECT =
            "import socket,sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print('in')";
    private static final String SERVE =
            "import os,socket; s=socket.socket(socket.AF_UNIX);"
                    + " s.bind(os.environ['TMPDIR']+'/own'); s.listen(); print('up',flush=True);"
                    + " s.accept()";

    @TempDir Path temporary;
    private Path folder;
    private Map<String, String> variables;
    private ServerSocketChannel ofTheHost;

    @BeforeEach
    void given() throws IOException {
        folder = Files.createDirectory(temporary.toRealPath().resolve("w"));
        var tmp = Files.createDirectory(temporary.toRealPath().resolve("t"));
        variables = Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere", "TMPDIR", tmp.toString());
        Files.createDirectory(folder.resolve("host"));
        ofTheHost = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        ofTheHost.bind(UnixDomainSocketAddress.of(folder.resolve("host/sock")));
    }

    @AfterEach
    void end() throws IOException {
        ofTheHost.close();
    }

    private Session open(boolean judged) {
        return open(new Writ(variables), judged);
    }

    private Session open(Writ writ, boolean judged) {
        var config = Config.of(folder, variables);
        var here = FilePath.of(folder.toString());
        var scope = config.scope(here);
        var policy =
                judged
                        ? new PolicyLoader(scope, config.ownFolders())
                                .profile("workspace", Source.of("test"))
                                .load()
                        : Policy.of(
                                scope,
                                Stream.of(
                                                "usr", "bin", "sbin", "lib", "lib64", "lib32",
                                                "libx32", "opt")
                                        .map(f -> rule("read:/" + f, scope))
                                        .toList(),
                                List.of());
        var all =
                policy.plus(
                        Stream.of(
                                        "read:/etc",
                                        "write:.",
                                        "shell:read-only",
                                        "env:TMPDIR",
                                        "listen:localhost:0")
                                .map(r -> rule(r, scope))
                                .toList(),
                        here.resolve("nowhere"));
        return writ.open(all, here);
    }

    private static Rule rule(String text, Scope scope) {
        return new Rule(Effect.ALLOW, Capability.parse(text, scope), text, Source.of("test"));
    }

    private static List<String> python(String code, String... more) {
        return Stream.concat(Stream.of("/usr/bin/python3", "-c", code), Stream.of(more)).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_the_host_made_cannot_be_brought_there(boolean judged) throws Exception {
        var freely =
                new ProcessBuilder(
                                "/bin/sh",
                                "-c",
                                "mv host $TMPDIR/x; /usr/bin/python3 -c \""
                                        + CONNECT
                                        + "\" $TMPDIR/x/sock; mv $TMPDIR/x host")
                        .directory(folder.toFile());
        freely.environment().putAll(variables);
        assertThat(new String(freely.start().getInputStream().readAllBytes(), UTF_8))
                .isEqualTo("in\n");
        try (var session = open(judged)) {
            session.run(List.of("/bin/true"));
            assertThat(session.events())
                    .first()
                    .extracting(e -> ((AuditEvent.Opened) e).posture().guarantees().get(1))
                    .extracting("name", "by")
                    .containsExactly("writes", judged ? Enforcer.BROKER : Enforcer.KERNEL);
            for (var way :
                    List.of(
                            "mv host/sock $TMPDIR/sock",
                            "ln host/sock $TMPDIR/sock",
                            "ln -s $PWD/host/sock $TMPDIR/sock",
                            "mkdir $TMPDIR/d; mv host $TMPDIR/d/host; ln -s d/host/sock"
                                    + " $TMPDIR/sock; test -S $TMPDIR/sock && echo there")) {
                var outcome =
                        session.run(
                                List.of(
                                        "/bin/sh",
                                        "-c",
                                        "rm -f $TMPDIR/sock; "
                                                + way
                                                + "; /usr/bin/python3 -c \""
                                                + CONNECT
                                                + "\" $TMPDIR/sock"));
                assertThat(outcome.output()).as(way + outcome).doesNotContain("in");
                assertThat(outcome.output())
                        .isEqualTo(!judged && way.contains("mkdir") ? "there\n" : "");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_a_session_made_is_open_to_all_its_commands(boolean judged) throws Exception {
        try (var session = open(judged)) {
            var python = FilePath.of("/usr/bin/python3");
            try (var server = session.start(python, python(SERVE), Streams.PIPED)) {
                assertThat(server.output().readNBytes(3)).asString().isEqualTo("up\n");
                var outcome =
                        session.run(
                                List.of(
                                        "/bin/sh",
                                        "-c",
                                        "exec /usr/bin/python3 -c \""
                                                + CONNECT
                                                + "\" $TMPDIR/own"));
                assertThat(outcome.output()).as("%s", outcome).isEqualTo("in\n");
                assertThat(server.await()).isZero();
            }
        }
    }

    private static final String SERVE_PORT =
            "import socket; s=socket.create_server(('127.0.0.1',0));"
                    + " print(s.getsockname()[1],flush=True); s.accept()";
    private static final String CONNECT_PORT =
            "import socket,sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])));"
                    + " print('in')";

    @Test
    void a_port_is_open_to_all_commands_of_a_session_and_to_no_other_session() throws Exception {
        var python = FilePath.of("/usr/bin/python3");
        var writ = new Writ(variables);
        try (var session = open(writ, true);
                var other = open(writ, true);
                var server = session.start(python, python(SERVE_PORT), Streams.PIPED)) {
            var number =
                    new BufferedReader(new InputStreamReader(server.output(), UTF_8)).readLine();

            var stranger = other.run(python(CONNECT_PORT, number));
            assertThat(stranger.output()).as("%s", stranger).isEmpty();
            assertThat(stranger.errors()).contains("PermissionError");
            var outcome = session.run(python(CONNECT_PORT, number));
            assertThat(outcome.output()).as("%s", outcome).isEqualTo("in\n");
            assertThat(server.await()).isZero();
        }
    }

    private static final String BOTH =
            """
            import os, socket, sys
            def server(path):
                s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen(); return s
            def client(path):
                try:
                    c = socket.socket(socket.AF_UNIX); c.connect(path); return c
                except OSError as e: return type(e).__name__
            here = os.getcwd()
            for path in 'mine', './host/mine', here + '/far', os.environ['TMPDIR'] + '/own':
                s = server(path); c = client(path); a, _ = s.accept()
                print(s.getsockname() == path, c.getpeername() == path, a.getsockname() == path, c.getsockname() == '')
            try: server('far')
            except OSError as e: print(e.strerror)
            os.unlink('far'); server('far'); print(client('far'))
            print(client('host/sock'))
            print(sorted(n for n in os.listdir() + os.listdir('host') if n.startswith('.')))
            """;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_it_made_in_a_folder_that_others_use_as_well_is_known_from_theirs(boolean judged)
            throws Exception {
        try (var session = open(judged)) {
            var outcome = session.run(python(BOTH));
            assertThat(outcome.output())
                    .as("%s", outcome)
                    .isEqualTo(
                            "True True True True\n".repeat(4)
                                    + """
                                    Address already in use
                                    ConnectionRefusedError
                                    PermissionError
                                    []
                                    """);
        }
        try (var other = open(judged)) {
            var outcome = other.run(python(CONNECT, "far"));
            assertThat(outcome.output()).as("%s", outcome).isEmpty();
        }
    }

    @Test
    void a_rule_that_speaks_of_it_decides() throws Exception {
        var config = Config.of(folder, variables);
        var here = FilePath.of(folder.toString());
        var policy =
                new PolicyLoader(config.scope(here), config.ownFolders())
                        .profile("workspace", Source.of("test"))
                        .rule(Effect.DENY, "unix:./mine", here)
                        .load();
        try (var session = new Writ(variables).open(policy, here)) {
            var both =
                    SERVE.replace("s.accept()", "").replace("os.environ['TMPDIR']+'/own'", "'%s'")
                            + "c=socket.socket(socket.AF_UNIX); c.connect('%s'); print('in')";
            assertThat(session.run(python(both.formatted("mine", "mine"))).errors())
                    .contains("PermissionError");
            assertThat(session.run(python(both.formatted("other", "other"))).output())
                    .isEqualTo("up\nin\n");
        }
    }
}
