// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// File systems that really refuse: full, read-only, or closed to the writer. A small file system
/// is mounted where nobody else sees it; [OnDisk] is the program that writes there.
class RealDiskIT {
    @TempDir Path folder;

    @Test
    void on_a_full_disk_what_was_acknowledged_stays_and_the_log_says_why_it_stopped()
            throws Exception {
        var said = mounted("full");

        assertThat(said.get("stopped")).contains("No space left on device", "open the log again");
        assertThat(said.get("still stopped")).contains("No space left on device");
        assertThat(said.get("cannot be opened")).contains("No space left on device");
        long acknowledged = Long.parseLong(said.get("acknowledged"));
        assertThat(acknowledged).isGreaterThan(100);
        assertThat(Long.parseLong(said.get("recovered"))).isBetween(acknowledged, acknowledged + 1);
        assertThat(said.get("verified")).isEqualTo(said.get("recovered"));
    }

    @Test
    void on_a_read_only_disk_a_log_can_be_verified_and_not_opened() throws Exception {
        var said = mounted("read-only");

        assertThat(said.get("cannot be opened")).contains("Read-only file system");
        assertThat(said.get("verified")).isEqualTo("20");
        assertThat(said.get("recovered")).isEqualTo("20");
    }

    @Test
    void a_folder_that_is_closed_while_a_log_is_open_stops_it_and_loses_nothing() throws Exception {
        var words = new ArrayList<String>();
        if (Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
            // Modes mean nothing to root with all its rights.
            words.addAll(List.of("setpriv", "--bounding-set", "-all", "--inh-caps", "-all"));
        }
        words.addAll(OnDisk.command("closed", folder));
        var said = run(words);

        assertThat(said.get("stopped")).contains("cannot be signed");
        assertThat(said.get("still stopped")).contains("open the log again");
        assertThat(said.get("cannot be opened")).contains(folder.toString());
        assertThat(Long.parseLong(said.get("recovered")))
                .isBetween(
                        Long.parseLong(said.get("acknowledged")),
                        Long.parseLong(said.get("acknowledged")) + 1);
        assertThat(said.get("verified")).isEqualTo(said.get("recovered"));
    }

    private Said mounted(String what) throws Exception {
        var mount = "mount -t tmpfs -o size=1m none \"$0\"";
        assumeTrue(
                run(List.of("unshare", "-rm", "sh", "-c", mount, folder.toString())).exit() == 0,
                "no file system can be mounted here");
        var words = new ArrayList<>(List.of("unshare", "-rm", "sh", "-c"));
        words.addAll(List.of(mount + " && exec \"$@\"", folder.toString()));
        words.addAll(OnDisk.command(what, folder));
        return run(words);
    }

    /// What a program said: lines of a word or more, a colon, and the rest.
    private record Said(int exit, String output) {
        String get(String what) {
            return output.lines()
                    .filter(l -> l.startsWith(what + ": "))
                    .map(l -> l.substring(what.length() + 2))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("not `" + what + "`: " + output));
        }
    }

    private static Said run(List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new Said(process.waitFor(), output);
    }
}
