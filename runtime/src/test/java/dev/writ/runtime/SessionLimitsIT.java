// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.file.Draft;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Source;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.core.sandbox.SpentException;
import dev.writ.core.sandbox.Use;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Limits hold for all commands of a session together: many that each stay below one are no way
/// around it.
@Timeout(180)
class SessionLimitsIT {
    private static final int MANY = 40;
    private static final int KILLED = 137;

    /// So much of each resource, whatever the machine.
    private static final String BURN =
            "python3 -c 'import time\nwhile time.process_time() < 0.2: pass'";

    private static final String FILL = "head -c 300000 /dev/zero > file-$$";
    private static final String SAY = "head -c 300 /dev/zero";
    private static final String HOLD = "import sys; x = bytearray(b\"1\") * (60 << 20);";

    @TempDir Path temporary;
    private Path folder;

    @BeforeEach
    void given() throws IOException {
        folder = temporary.toRealPath();
    }

    private Session open(String limit) {
        var here = FilePath.of(folder.toString());
        var config = Config.of(folder, Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere"));
        var policy =
                new PolicyLoader(config.scope(here), config.ownFolders())
                        .profile("workspace", Source.of("test"))
                        .rule(Effect.ALLOW, "device:/dev/zero", here)
                        .rule(Effect.ALLOW, "read:/**", here)
                        .rule(Effect.ALLOW, "limit:" + limit, here)
                        .load();
        return new Writ(Map.of()).open(policy, here);
    }

    private static List<String> sh(String script) {
        return List.of("sh", "-c", script);
    }

    private static long used(Session session, Resource resource) {
        return session.use().stream()
                .filter(u -> u.limit().resource() == resource)
                .mapToLong(Use::used)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"cpu=1s, CPU", "disk=1m, DISK", "output=1k, OUTPUT"})
    void what_is_spent_is_spent_for_the_session(String limit, Resource resource) throws Exception {
        assumeTrue(
                resource != Resource.DISK || !Files.getFileStore(folder).type().equals("tmpfs"),
                "a folder on a disk is needed");
        String some =
                switch (resource) {
                    case CPU -> BURN;
                    case DISK -> FILL;
                    default -> SAY;
                };
        try (var session = open(limit);
                var other = open(limit)) {
            int went = 0;
            int ended = 0;
            SpentException refused = null;
            for (int i = 0; i < MANY && refused == null; i++) {
                try {
                    var outcome = session.run(sh(some));
                    if (outcome.reached().isEmpty()) {
                        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
                        went++;
                    } else {
                        assertThat(outcome.exitCode()).isEqualTo(KILLED);
                        assertThat(outcome.reached().getFirst().limit().resource())
                                .isEqualTo(resource);
                        ended++;
                    }
                } catch (SpentException e) {
                    refused = e;
                }
            }
            assertThat(went).as("each of them is within the limit").isBetween(1, 5);
            assertThat(ended).isLessThanOrEqualTo(1);
            assertThat(refused)
                    .isNotNull()
                    .hasMessageContaining(resource.word() + " of " + limit.split("=")[1])
                    .hasMessageContaining("`limit:" + limit + "`")
                    .hasMessageContaining("used up by this session; open another sandbox");
            assertThat(session.use())
                    .filteredOn(u -> u.limit().resource() == resource)
                    .allMatch(Use::isSpent);
            assertThat(session.events())
                    .filteredOn(AuditEvent.LimitReached.class::isInstance)
                    .isNotEmpty();
            assertThatThrownBy(() -> session.run(sh("true"))).isInstanceOf(SpentException.class);

            // Another session has its own.
            assertThat(other.run(sh(some)).reached()).isEmpty();
        }
    }

    @Test
    void what_the_host_writes_for_the_agent_counts_with_what_commands_write() throws Exception {
        try (var session = open("disk=100k")) {
            assertThat(session.run(sh("true")).exitCode()).isZero();
            for (int i = 0; i < 2; i++) {
                session.files().write("f" + i, new byte[40_000], Draft.Wish.ANY);
            }
            assertThat(session.run(sh("true")).exitCode()).as("below the limit").isZero();
            assertThatThrownBy(
                            () -> {
                                for (int i = 2; i < 5; i++) {
                                    var bytes = new byte[40_000];
                                    session.files().write("f" + i, bytes, Draft.Wish.ANY);
                                }
                            })
                    .isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> session.run(sh("true"))).isInstanceOf(SpentException.class);
        }
    }

    private static Sandbox start(Session session, String script) {
        var shell = session.find("sh").orElseThrow();
        return session.start(shell, sh(script), Streams.PIPED);
    }

    private static CompletableFuture<Integer> code(Sandbox sandbox) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return sandbox.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    private static void awaitLine(Sandbox sandbox) throws IOException {
        assertThat(sandbox.output().read()).isGreaterThanOrEqualTo(0);
    }

    @Test
    void memory_is_that_of_all_who_run_and_comes_back() throws Exception {
        String hold = "exec python3 -c '" + HOLD + " print(1, flush=True); sys.stdin.read()'";
        try (var session = open("memory=110m")) {
            for (int i = 0; i < 2; i++) {
                // One after the other is fine.
                var outcome = session.run(sh("exec python3 -c '" + HOLD + " print(1)'"));
                assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
            }
            try (var small = start(session, "echo 1; read -r line; echo $line");
                    var first = start(session, hold)) {
                awaitLine(small);
                awaitLine(first);
                try (var second = start(session, hold)) {
                    var ended = CompletableFuture.anyOf(code(first), code(second));
                    assertThat(ended.get(60, TimeUnit.SECONDS)).isEqualTo(KILLED);
                    var reached = first.reached().isEmpty() ? second : first;
                    assertThat(reached.reached().getFirst().limit().resource())
                            .isEqualTo(Resource.MEMORY);
                    var left = reached.equals(first) ? second : first;
                    left.input().close();
                    assertThat(code(left).get(60, TimeUnit.SECONDS)).isZero();
                }
                small.input().write("on\n".getBytes(UTF_8));
                small.input().close();
                assertThat(code(small).get(60, TimeUnit.SECONDS)).isZero();
            }
            assertThat(session.run(sh("true")).exitCode()).isZero();
            assertThat(used(session, Resource.MEMORY)).isZero();
        }
    }

    @Test
    void processes_are_those_of_all_who_run() throws Exception {
        String fork = "(true) && (true) && echo forked";
        try (var session = open("procs=5");
                var other = open("procs=5")) {
            assertThat(session.run(sh(fork)).output()).isEqualTo("forked\n");
            String many = "sleep 100 & sleep 100 & sleep 100 & echo 1; read -r line; kill %1 %2 %3";
            try (var first = start(session, many)) {
                awaitLine(first);
                assertThat(used(session, Resource.PROCS)).isEqualTo(4);
                var outcome = session.run(sh(fork));
                assertThat(outcome.output()).as("the fifth may start, and no sixth").isEmpty();
                assertThat(outcome.reached().getFirst().limit().resource())
                        .isEqualTo(Resource.PROCS);
                assertThat(other.run(sh(fork)).output()).isEqualTo("forked\n");
                try (var second = start(session, "echo 1; read -r line")) {
                    awaitLine(second);
                    assertThatThrownBy(() -> session.run(sh("true")))
                            .isInstanceOf(SpentException.class)
                            .hasMessageContaining("procs of 5")
                            .hasMessageContaining("5 run in this session already");
                    second.input().close();
                    code(second).get(60, TimeUnit.SECONDS);
                }
                first.input().close();
                code(first).get(60, TimeUnit.SECONDS);
            }
            assertThat(session.run(sh(fork)).output()).isEqualTo("forked\n");
            assertThat(used(session, Resource.PROCS)).isZero();
        }
    }

    @Test
    void time_is_that_of_each_command() throws Exception {
        try (var session = open("time=2s")) {
            for (int i = 0; i < 4; i++) {
                assertThat(session.run(sh("sleep 0.7")).exitCode()).isZero();
            }
            assertThat(session.run(sh("sleep 60")).exitCode()).isEqualTo(124);
            assertThat(session.run(sh("true")).exitCode()).isZero();
        }
    }
}
