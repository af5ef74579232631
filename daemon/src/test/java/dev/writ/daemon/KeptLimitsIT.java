// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Many small commands of one sandbox are no way around its limits.
@Timeout(120)
class KeptLimitsIT {
    private static final String SAY = "printf %300s x";

    @TempDir Path folder;
    private DaemonWorld world;

    @BeforeEach
    void start() throws IOException {
        world = new DaemonWorld(folder, OptionalInt.empty());
    }

    @AfterEach
    void end() throws IOException {
        world.close();
    }

    private String open() throws IOException {
        return world.open(
                Map.of(
                        "version",
                        1L,
                        "allow",
                        List.of("read:/**", "write:.", "shell:*"),
                        "limits",
                        Map.of("output", "1k", "cpu", "1h")));
    }

    private static @Nullable Object code(List<Map<String, @Nullable Object>> lines) {
        return lines.getLast().get("code");
    }

    private Map<String, @Nullable Object> use(String sandbox, String limit) throws IOException {
        var answer = world.ask("GET", "/v1/sandboxes/" + sandbox, "").json();
        return DaemonWorld.list(answer, "use").stream()
                .map(DaemonWorld::object)
                .filter(u -> limit.equals(u.get("limit")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void what_is_used_up_lets_nothing_more_start() throws Exception {
        var sandbox = open();
        for (int i = 1; i <= 3; i++) {
            assertThat(code(world.shell(sandbox, SAY))).isEqualTo(0L);
            assertThat(use(sandbox, "output")).containsEntry("used", 300L * i);
        }
        assertThat(use(sandbox, "output")).containsEntry("most", 1024L);
        assertThat(use(sandbox, "cpu")).containsEntry("most", 3_600_000L).containsKey("used");

        var crosses = world.shell(sandbox, SAY + "; sleep 100");
        assertThat(DaemonWorld.text(crosses, "stdout")).hasSize(1024 - 900);
        assertThat(crosses)
                .anyMatch(e -> "limit".equals(e.get("t")) && Boolean.TRUE.equals(e.get("ended")));
        assertThat(code(crosses)).isEqualTo(137L);

        var refused = world.shell(sandbox, "touch started");
        assertThat(refused).noneMatch(e -> "started".equals(e.get("t")));
        assertThat(refused).anyMatch(e -> "limit".equals(e.get("t")));
        assertThat(DaemonWorld.text(refused, "stderr"))
                .startsWith("writ: denied: output of 1k, by `limit:output=1k`")
                .contains("1200 are used up by this session; open another sandbox")
                .contains("`limits: {output: 2k}`");
        assertThat(code(refused)).isEqualTo(126L);
        assertThat(world.workspace.resolve("started")).doesNotExist();

        assertThat(code(world.shell(open(), SAY))).as("another sandbox").isEqualTo(0L);
    }
}
