// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.backends.program.Loader.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoaderTest {
    @TempDir Path temporary;
    private Given given;

    @BeforeEach
    void given() throws IOException {
        given = new Given(temporary);
    }

    private boolean is(byte[] contents) throws IOException {
        return Loader.is(given.at(Files.write(given.folder.resolve("x"), contents)));
    }

    private static Optional<Command> command(String... arguments) throws UnclearException {
        return Loader.command(List.of(arguments));
    }

    @Test
    void a_loader_is_known_by_its_contents() throws IOException {
        assertThat(Loader.is(given.at(Given.LOADER))).isTrue();
        assertThat(Loader.is(given.at(given.copy(Given.LOADER.toString(), "l")))).isTrue();
        assertThat(is(TinyElf.of("\0ld-musl-x86_64.so.1\0", 1, false))).isTrue();
        assertThat(is(TinyElf.of("\0libc.musl-x86_64.so.1\0", 1, false))).isTrue();
        assertThat(is(TinyElf.of("\0malloc\0dlopen\0", 0, false))).isTrue();
    }

    @Test
    void a_loader_is_known_by_its_name() throws IOException {
        assertThat(Loader.is(given.at(given.file("ld-musl-x86_64.so.1", "")))).isTrue();
        assertThat(Loader.is(given.at(given.file("ld-2.31.so", "")))).isTrue();
        assertThat(Loader.is(given.at(given.file("ld-gold", "")))).isFalse();
        assertThat(Loader.is(given.at(given.file("ld", "")))).isFalse();
    }

    @Test
    void an_ordinary_program_is_no_loader() throws IOException {
        for (String program : List.of("/bin/sh", "/usr/bin/env", "/bin/cat", "/bin/ls")) {
            assertThat(Loader.is(given.at(Path.of(program).toRealPath()))).as(program).isFalse();
        }
        assertThat(is(TinyElf.of("\0libx.so\0", 1, false))).isFalse();
        assertThat(is(TinyElf.of("\0ld-linux.so.2\0", 1, true))).isFalse();
        assertThat(is("#!/bin/sh\n".getBytes(UTF_8))).isFalse();
        assertThat(is(new byte[0])).isFalse();
    }

    @Test
    void a_hostile_file_breaks_nothing() throws IOException {
        long seed = System.nanoTime();
        var random = new Random(seed);
        byte[] whole = TinyElf.of("\0libx.so\0", 1, false);
        for (int i = 0; i < 3000; i++) {
            byte[] bytes = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
            for (int n = random.nextInt(8); n > 0 && bytes.length > 6; n--) {
                bytes[6 + random.nextInt(bytes.length - 6)] = (byte) random.nextInt();
            }

            assertThat(is(bytes)).as("seed %d", seed).isFalse();
        }
    }

    @Test
    void options_come_before_the_file() throws UnclearException {
        assertThat(command("/bin/git", "push"))
                .contains(new Command("/bin/git", "/bin/git", List.of("push")));
        assertThat(
                        command(
                                "--library-path",
                                "/a",
                                "--inhibit-cache",
                                "--argv0",
                                "sh",
                                "--preload=/x",
                                "./git",
                                "--list"))
                .contains(new Command("./git", "sh", List.of("--list")));
        assertThat(command("--", "./git")).contains(new Command("./git", "./git", List.of()));
        assertThat(command("--list", "./git")).contains(new Command("./git", "./git", List.of()));
    }

    @Test
    void without_a_file_it_runs_nothing() throws UnclearException {
        assertThat(command()).isEmpty();
        assertThat(command("--version")).isEmpty();
        assertThat(command("--library-path", "/bin/git")).isEmpty();
        assertThat(command("--argv0")).isEmpty();
    }

    @Test
    void what_it_does_not_know_is_unclear() {
        assertThatThrownBy(() -> command("--new-option", "/bin/git"))
                .isInstanceOf(UnclearException.class)
                .hasMessage("the loader has an unknown option: `--new-option`");
        assertThatThrownBy(() -> command("--list=x", "/bin/git"))
                .isInstanceOf(UnclearException.class);
        assertThatThrownBy(() -> command("--library-path", "/bin", "git"))
                .hasMessage("the loader would search for `git`");
    }
}
