// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.core.capability.FilePath;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// On a real disk of that sort: exFAT by FUSE, which gives each spelling a number of its own.
class LettersIT {
    @TempDir Path temporary;

    private static boolean areOne(Path folder) {
        try (var kernel = new Kernel()) {
            return new Letters(new FileCalls(kernel)).areOne(FilePath.of(folder.toString()));
        }
    }

    private String output(String script) throws Exception {
        var process =
                new ProcessBuilder("sh", "-c", script, "sh", temporary.toString())
                        .redirectErrorStream(true)
                        .start();
        var output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        process.waitFor();
        return output;
    }

    @Test
    void folders_in_which_letters_are_one_are_found() throws Exception {
        var mounted = Files.createDirectory(temporary.resolve("mounted"));
        var device =
                output(
                        """
                        cd "$1" && truncate -s 4M disk && mkfs.exfat disk > /dev/null &&
                            device=$(losetup -f --show disk) &&
                            { mount.exfat-fuse "$device" mounted > /dev/null || losetup -d "$device"; } && echo "$device"
                        """);
        assumeTrue(device.startsWith("/dev/"), "no exFAT can be mounted here: " + device);
        try {
            assertThat(areOne(mounted)).as("where nothing tells yet").isTrue();
            Files.writeString(mounted.resolve("main.py"), "");
            assertThat(areOne(mounted)).as("where a file tells").isTrue();
            var project = Files.createDirectory(mounted.resolve("Project"));
            Files.createDirectory(project.resolve(".git"));
            assertThat(project.resolve(".GIT")).as("another name for it").isDirectory();

            assertThat(areOne(project)).isTrue();
            assertThat(areOne(mounted)).isTrue();
            assertThat(areOne(project.resolve(".git"))).isTrue();
        } finally {
            output("umount \"$1/mounted\"; losetup -d " + device);
        }
    }

    @Test
    void others_are_not() throws Exception {
        var project = Files.createDirectory(temporary.resolve("Project"));
        Files.createDirectory(temporary.resolve("pROJECT"));

        assertThat(areOne(project)).isFalse();
        assertThat(areOne(Path.of("/"))).isFalse();
        assertThat(areOne(temporary.resolve("missing"))).isFalse();
    }
}
