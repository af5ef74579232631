// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.writ.kernel.Terminal.Pair;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whoever is told something chooses what that is told to: it may be full, and nobody may read it.
class RemarkIT {
    private static final byte[] WORDS = "refused\n".getBytes(UTF_8);
    private static final int SOCK_STREAM = 1;

    @TempDir Path folder;
    private final Kernel kernel = new Kernel();
    private final FileCalls files = new FileCalls(kernel);

    @AfterEach
    void end() {
        kernel.close();
    }

    private int say(int descriptor) {
        return assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> {
                    try (var own = new Kernel()) {
                        return new Remark(own, WORDS).sayTo(descriptor);
                    }
                });
    }

    /// Says it until there is no room, and takes the descriptor back.
    private void sayUntilFull(int descriptor) {
        int times = 0;
        int said = WORDS.length;
        while (said == WORDS.length && times++ < 1_000_000) {
            said = say(descriptor);
        }

        assertThat(said).isLessThan(WORDS.length);
        assertThat(files.flags(descriptor) & FileCalls.O_NONBLOCK).isZero();
        files.close(descriptor);
    }

    @Test
    void a_pipe_that_nobody_reads_is_not_waited_for() {
        long pipe = files.pipe();

        assertThat(say((int) (pipe >>> 32))).isEqualTo(WORDS.length);
        assertThat(files.read((int) pipe, 100)).isEqualTo(WORDS);
        sayUntilFull((int) (pipe >>> 32));
        files.close((int) pipe);
    }

    @Test
    void nor_is_a_socket() {
        long pair = new Sockets(kernel).pair(SOCK_STREAM);

        assertThat(say((int) (pair >>> 32))).isEqualTo(WORDS.length);
        assertThat(files.read((int) pair, 100)).isEqualTo(WORDS);
        sayUntilFull((int) (pair >>> 32));
        files.close((int) pair);
    }

    @Test
    void nor_is_a_terminal() {
        Pair terminal = new Terminal(kernel).make();
        int end =
                files.open(
                        FileCalls.AT_FDCWD,
                        terminal.path().getBytes(UTF_8),
                        FileCalls.O_RDWR | FileCalls.O_NOCTTY,
                        0);

        assertThat(say(end)).isEqualTo(WORDS.length);
        assertThat(files.read(terminal.master(), 100)).asString().isEqualTo("refused\r\n");
        sayUntilFull(end);
        files.close(terminal.master());
    }

    @Test
    void a_file_gets_it_where_it_is_at() throws Exception {
        var file = Files.writeString(folder.resolve("file"), "before\n");
        int end =
                files.open(
                        FileCalls.AT_FDCWD,
                        file.toString().getBytes(UTF_8),
                        FileCalls.O_WRONLY | FileCalls.O_APPEND,
                        0);

        say(end);
        say(end);

        assertThat(file).hasContent("before\nrefused\nrefused\n");
        files.close(end);
    }
}
