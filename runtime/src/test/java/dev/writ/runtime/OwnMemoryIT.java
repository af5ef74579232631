// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Shared memory and semaphores that have a name are shared within a session, with nobody else, and
/// gone with it.
@Timeout(120)
class OwnMemoryIT {
    private static final Path SHARED = Path.of("/dev/shm");

    /// What the modules for it do: memory, a semaphore with a name, and an array without one.
    private static final String WORK =
            """
            import multiprocessing as m
            from multiprocessing import shared_memory as s
            def child(name, lock, array):
                with lock: array[0] += 1
                memory = s.SharedMemory(name=name); memory.buf[0] += 1; memory.close()
            if __name__ == '__main__':
                memory = s.SharedMemory(create=True, size=1 << 20)
                lock = m.get_context('spawn').Lock(); array = m.get_context('spawn').Array('i', 1)
                all = [m.get_context('spawn').Process(target=child, args=(memory.name, lock, array)) for _ in range(2)]
                [p.start() for p in all]; [p.join() for p in all]
                print(memory.buf[0], array[0]); memory.close(); memory.unlink()
            """;

    @TempDir Path temporary;
    private Path folder;
    private Path ofTheHost;
    private Map<String, String> variables;
    private Set<Path> before;

    @BeforeEach
    void given() throws IOException {
        folder = Files.createDirectory(temporary.toRealPath().resolve("w"));
        var tmp = Files.createDirectory(temporary.toRealPath().resolve("t"));
        variables = Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere", "TMPDIR", tmp.toString());
        Files.writeString(folder.resolve("work.py"), WORK);
        ofTheHost = Files.createTempFile(SHARED, "writ-it-", "");
        Files.writeString(ofTheHost, "of the host");
        before = listed();
    }

    @AfterEach
    void end() throws IOException {
        Files.deleteIfExists(ofTheHost);
    }

    private static Set<Path> listed() throws IOException {
        try (var all = Files.list(SHARED)) {
            return all.collect(Collectors.toSet());
        }
    }

    private Session open(String profile, String... rules) {
        var config = Config.of(folder, variables);
        var here = FilePath.of(folder.toString());
        var scope = config.scope(here);
        var policy =
                new PolicyLoader(scope, config.ownFolders())
                        .profile(profile, Source.of("test"))
                        .load();
        var more =
                Stream.of(rules)
                        .map(r -> r.split(" ", 2))
                        .map(r -> Rule.parse(Effect.valueOf(r[0]), r[1], scope, Source.of("it")))
                        .toList();
        return new Writ(variables).open(policy.plus(more, here.resolve("nowhere")), here);
    }

    private static String sh(Session session, String command) throws InterruptedException {
        return session.run(List.of("/bin/sh", "-c", "exec 2>&1; " + command + "; true")).output();
    }

    private static List<String> refused(Session session) {
        return session.events().stream()
                .filter(e -> e instanceof AuditEvent.Judged judged && !judged.permitted())
                .map(e -> ((AuditEvent.Judged) e).action().toString())
                .filter(action -> action.contains("shm"))
                .toList();
    }

    @Test
    void processes_of_a_session_share_memory_and_semaphores() throws Exception {
        try (var session = open("python")) {
            assertThat(sh(session, "/usr/bin/python3 work.py")).isEqualTo("2 2\n");
            assertThat(refused(session)).isEmpty();
            assertThat(listed()).isEqualTo(before);
        }
    }

    @Test
    void what_the_host_shares_is_not_there() throws Exception {
        try (var session = open("workspace")) {
            assertThat(sh(session, "cat " + ofTheHost)).contains("No such file");
            assertThat(sh(session, "echo own > " + ofTheHost + "; cat " + ofTheHost))
                    .isEqualTo("own\n");
            assertThat(sh(session, "rm -f " + ofTheHost + "; cat " + ofTheHost))
                    .contains("No such file");
        }
        assertThat(ofTheHost).hasContent("of the host");
        assertThat(listed()).isEqualTo(before);
    }

    @Test
    void nor_is_it_by_another_way() throws Exception {
        var name = ofTheHost.getFileName();
        try (var session = open("workspace")) {
            for (var way :
                    List.of(
                            "cat /dev/shm/./" + name,
                            "cat /dev/../dev/shm/" + name,
                            "cat /dev/shm//" + name,
                            "cd /dev/shm && cat " + name,
                            "ln -s /dev/shm d; cat d/" + name,
                            "ln -s " + ofTheHost + " l; cat l",
                            "cat /proc/self/root/dev/shm/" + name,
                            "ls /dev/shm",
                            "mv /dev/shm/" + name + " here; cat here",
                            "ln /dev/shm/" + name + " there; cat there")) {
                assertThat(sh(session, way)).as(way).doesNotContain("of the host", "writ-it-\n");
            }
        }
        assertThat(ofTheHost).hasContent("of the host");
    }

    @Test
    void two_sessions_do_not_meet() throws Exception {
        try (var one = open("workspace");
                var other = open("workspace")) {
            assertThat(sh(one, "echo one > /dev/shm/sem.x; cat /dev/shm/sem.x")).isEqualTo("one\n");
            assertThat(sh(other, "cat /dev/shm/sem.x")).contains("No such file");
            assertThat(sh(one, "cat /dev/shm/sem.x")).isEqualTo("one\n");
        }
        assertThat(listed()).isEqualTo(before);
    }

    @Test
    void a_rule_about_what_all_share_counts_more() throws Exception {
        try (var session = open("workspace", "ALLOW read:" + ofTheHost)) {
            assertThat(sh(session, "cat " + ofTheHost)).isEqualTo("of the host");
            assertThat(sh(session, "echo x > " + ofTheHost)).contains("ermission denied");
        }
        try (var session = open("workspace", "DENY write:/dev/shm")) {
            assertThat(sh(session, "echo x > /dev/shm/x")).contains("ermission denied");
        }
        assertThat(ofTheHost).hasContent("of the host");
    }
}
