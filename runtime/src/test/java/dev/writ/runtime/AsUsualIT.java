// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Source;
import dev.writ.runtime.policy.PolicyLoader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What programs do as a matter of course works under the default policy, or is refused in a way
/// that they cope with and that the operator gets to know of.
@Timeout(120)
class AsUsualIT {
    private static final Map<String, String> VARIABLES =
            Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere");

    @TempDir Path temporary;
    private Path folder;

    @BeforeEach
    void given() throws Exception {
        folder = temporary.toRealPath();
    }

    private Session open() {
        var config = Config.of(folder, VARIABLES);
        var here = FilePath.of(folder.toString());
        var policy =
                new PolicyLoader(config.scope(here), config.ownFolders())
                        .profile("workspace", Source.of("test"))
                        .load();
        return new Writ(VARIABLES).open(policy, here);
    }

    private static List<String> python(String code, Object... more) {
        return Stream.concat(
                        Stream.of("/usr/bin/python3", "-c", code),
                        Stream.of(more).map(Object::toString))
                .toList();
    }

    private static List<String> refused(Session session) {
        return session.events().stream()
                .filter(AuditEvent.Judged.class::isInstance)
                .map(AuditEvent.Judged.class::cast)
                .filter(judged -> !judged.permitted())
                .map(judged -> judged.action() + " " + judged.reason())
                .toList();
    }

    private String freely(List<String> command) throws Exception {
        var process = new ProcessBuilder(command).directory(folder.toFile()).start();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }

    @Test
    void a_name_that_no_rule_leads_to_does_not_exist_and_is_refused_once() throws Exception {
        try (var session = open()) {
            var outcome =
                    session.run(
                            python(
                                    """
                                    import socket
                                    for name in 'host.example', 'host.example':
                                        try: socket.getaddrinfo(name, 80)
                                        except socket.gaierror as e: print(e.errno == socket.EAI_NONAME)
                                    """));

            assertThat(outcome.output()).as("%s", outcome).isEqualTo("True\nTrue\n");
            assertThat(refused(session)).filteredOn(r -> r.contains("host.example")).hasSize(1);
        }
    }

    @Test
    void a_datagram_leads_nowhere_and_that_is_recorded() throws Exception {
        var send =
                """
                import socket, sys
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                try: s.sendto(b'out', ('127.0.0.1', int(sys.argv[1]))); print('sent')
                except PermissionError: print('refused')
                """;
        try (var server = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                var session = open()) {
            server.setSoTimeout(500);
            var packet = new DatagramPacket(new byte[8], 8);

            assertThat(freely(python(send, server.getLocalPort()))).isEqualTo("sent\n");
            server.receive(packet);
            assertThat(session.run(python(send, server.getLocalPort())).output())
                    .isEqualTo("refused\n");
            assertThat(refused(session))
                    .anyMatch(r -> r.contains(String.valueOf(server.getLocalPort())));
            assertThatThrownBy(() -> server.receive(packet))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void a_file_without_a_name_is_made_where_it_may_be_and_no_other() throws Exception {
        var code =
                """
                import os
                def make(path, flags):
                    try: return os.open(path, os.O_RDWR | flags, 0o600)
                    except OSError as e: return type(e).__name__
                for place in '/tmp', '/var/tmp':
                    f = make(place, os.O_TMPFILE | os.O_EXCL); os.write(f, b'abc'); print(os.pread(f, 9, 0))
                    try: os.link('/proc/self/fd/%d' % f, 'named', follow_symlinks=True)
                    except OSError: print('nameless')
                print(make('/tmp', os.O_TMPFILE), make('/tmp/writ-named', os.O_CREAT | os.O_EXCL), make('/usr', os.O_TMPFILE | os.O_EXCL))
                """;
        try (var session = open()) {
            var outcome = session.run(python(code));

            assertThat(outcome.output())
                    .as("%s", outcome)
                    .isEqualTo(
                            "b'abc'\nnameless\n".repeat(2)
                                    + "PermissionError PermissionError PermissionError\n");
            assertThat(Path.of("/tmp/writ-named")).doesNotExist();
        }
    }

    @Test
    void tools_that_keep_something_in_the_home_are_led_to_the_temporary_folder() throws Exception {
        try (var session = open()) {
            var seen = session.run(List.of("/usr/bin/env")).output();

            assertThat(List.of("BLACK_CACHE_DIR", "DENO_DIR", "JUPYTER_CONFIG_DIR"))
                    .allMatch(name -> seen.matches("(?s).*\\b" + name + "=\\S+/writ-run-.*"));
            assertThat(List.of("POETRY_CONFIG_DIR", "PRE_COMMIT_HOME"))
                    .allMatch(name -> seen.contains("\n" + name + "="));
        }
    }

    @Test
    void that_only_a_folder_may_be_there_is_recorded_with_what_allows_more() throws Exception {
        Files.createDirectory(folder.resolve("tree"));
        try (var session = open()) {
            assertThat(
                            session.run(List.of("/bin/sh", "-c", "echo gitdir: x > tree/.git"))
                                    .exitCode())
                    .isNotZero();
            assertThat(refused(session))
                    .singleElement()
                    .asString()
                    .contains("only a folder may be there", "add `write:./tree/.git` to `allow`");
        }
    }

    @Test
    void processes_of_the_sandbox_can_be_listed_and_no_others_looked_at() throws Exception {
        var script =
                """
                import os
                def shown(p):
                    try: return bool(open('/proc/%s/cmdline' % p).read())
                    except OSError: return False
                if os.fork() == 0: os.execlp('sleep', 'sleep', '30')
                all = [p for p in os.listdir('/proc') if p.isdigit()]
                print(len([p for p in all if shown(p)]) == 2, len(all) > 2)
                """;
        try (var session = open()) {
            assertThat(session.run(python(script)).output()).isEqualTo("True True\n");
        }
    }
}
