// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Reads real processes while they run. They are not stopped as they will be under a tracer, but
/// `sleep` changes nothing in itself.
class ProgramsIT {
    private static final String LOADER = Given.LOADER.toString();
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir Path temporary;
    private Given given;
    private Path sleep;
    private Path sh;
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void given() throws IOException {
        given = new Given(temporary);
        sleep = Path.of("/bin/sleep").toRealPath();
        sh = Path.of("/bin/sh").toRealPath();
    }

    @AfterEach
    void end() throws InterruptedException {
        for (var process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    /// Starts a command and waits until the process runs `program`.
    private Starts run(Path program, String... command) throws Exception {
        return run(given.policy("allow shell:*"), program.toString(), command);
    }

    private Starts run(Policy policy, String program, String... command) throws Exception {
        started.add(new ProcessBuilder(command).directory(given.folder.toFile()).start());
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isWaiting(program)) {
            assertThat(System.nanoTime()).as("waited too long for %s", program).isLessThan(end);
            Thread.onSpinWait();
        }
        return Programs.of(policy).starts(pid());
    }

    /// Whether the process runs `program` and has come so far that it waits for something.
    private boolean isWaiting(String program) throws IOException {
        var folder = Path.of("/proc/" + pid());
        String stat = Files.readString(folder.resolve("stat"), ISO_8859_1);
        return Files.readSymbolicLink(folder.resolve("exe")).toString().startsWith(program)
                && stat.startsWith(") S", stat.lastIndexOf(')'));
    }

    private long pid() {
        return started.getLast().pid();
    }

    private static Starts known(Start... starts) {
        return new Starts.Known(List.of(starts));
    }

    @Test
    void an_ordinary_program_is_itself() throws Exception {
        assertThat(run(sleep, "/bin/sleep", "60")).isEqualTo(known(given.allowed(sleep, "60")));
        assertThat(Image.of(pid()))
                .isEqualTo(
                        new Image(
                                new ProgramFile(
                                        FilePath.of(sleep.toString()),
                                        Path.of("/proc/" + pid() + "/exe")),
                                "/bin/sleep",
                                List.of("60"),
                                "/bin/sleep",
                                Path.of("/proc/" + pid())));
    }

    @Test
    void a_script_is_started_with_its_interpreter() throws Exception {
        var script = given.file("s", "#!/bin/sh -e\nread x\n");

        assertThat(run(sh, "./s", "a", "", "b"))
                .isEqualTo(
                        known(
                                given.allowed(sh, "-e", "./s", "a", "", "b"),
                                called(sh, "/bin/sh", "-e", "./s", "a", "", "b"),
                                given.allowed(script, "a", "", "b")));
    }

    /// `sh` is often a link to a shell of another name.
    private Start called(Path program, String zeroth, String... arguments) {
        String name = Path.of(zeroth).getFileName().toString();
        return program.endsWith(name)
                ? given.allowed(program, arguments)
                : given.notDenied(
                        program,
                        Stream.concat(Stream.of(name), Stream.of(arguments))
                                .toArray(String[]::new));
    }

    @Test
    void a_chain_of_scripts_is_started_link_by_link() throws Exception {
        var inner = given.file("inner", "#!" + sh + " -e\nread x\n");
        var outer = given.file("outer", "#!./inner a  b\n");
        Files.createSymbolicLink(given.folder.resolve("link"), outer);

        assertThat(run(sh, "./link", "c"))
                .isEqualTo(
                        known(
                                given.allowed(sh, "-e", "./inner", "a  b", "./link", "c"),
                                given.allowed(inner, "a  b", "./link", "c"),
                                given.allowed(outer, "c")));
    }

    @Test
    void the_loader_starts_its_file() throws Exception {
        assertThat(run(Given.LOADER, LOADER, "--argv0", "zzz", sleep.toString(), "60"))
                .isEqualTo(
                        known(
                                given.allowed(
                                        Given.LOADER, "--argv0", "zzz", sleep.toString(), "60"),
                                given.allowed(sleep, "60"),
                                given.notDenied(sleep, "zzz", "60")));
    }

    @Test
    void a_copy_of_the_loader_starts_its_file() throws Exception {
        var copy = given.copy(LOADER, "l");
        assertThat(copy.toFile().setExecutable(true)).isTrue();

        assertThat(run(copy, "./l", sleep.toString(), "60"))
                .isEqualTo(
                        known(
                                given.allowed(copy, sleep.toString(), "60"),
                                given.allowed(sleep, "60")));
    }

    @Test
    void an_interpreter_runs_its_script() throws Exception {
        var script = given.file("x.sh", "read x");

        assertThat(run(sh, sh.toString(), "-e", "x.sh", "a"))
                .isEqualTo(
                        known(given.allowed(sh, "-e", "x.sh", "a"), given.notDenied(script, "a")));
    }

    @Test
    void a_deleted_program_is_also_what_it_was() throws Exception {
        var copy = given.copy(sleep.toString(), "zzz");
        assertThat(copy.toFile().setExecutable(true)).isTrue();

        run(copy, "./zzz", "60");
        Files.delete(copy);

        assertThat(Programs.of(given.policy()).starts(pid()))
                .isEqualTo(
                        known(
                                given.allowed(Path.of(copy + " (deleted)"), "60"),
                                given.notDenied(Path.of(copy + " (deleted)"), "zzz", "60"),
                                given.notDenied(copy, "60")));
    }

    @Test
    void a_program_in_memory_is_known_by_its_contents() throws Exception {
        var python = python();
        var code =
                """
                import os, shutil, sys
                fd = os.memfd_create('x/../../usr/bin/zzz')
                with open(sys.argv[1], 'rb') as f, open(fd, 'wb', closefd=False) as m:
                    shutil.copyfileobj(f, m)
                os.execve(fd, ['zzz', '60'], {})
                """;
        var policy = given.policy("allow shell:*", "deny exec:" + sleep);

        var starts = run(policy, "/memfd:", python.toString(), "-c", code, sleep.toString());

        assertThat(((Starts.Known) starts).starts())
                .contains(
                        given.allowed(Path.of("/memfd:x_.._.._usr_bin_zzz (deleted)"), "60"),
                        given.notDenied(sleep, "60"));
        assertThat(((Starts.Known) starts).questions(policy)).contains(Given.start(sleep, "60"));
    }

    @Test
    void a_script_that_was_opened_before_is_found_through_the_process() throws Exception {
        var python = python();
        var script = given.file("s", "#!" + sh + "\nread x\n");
        var code =
                """
                import os
                fd = os.open('s', os.O_RDONLY)
                os.set_inheritable(fd, True)
                os.execve(fd, ['zzz'], {'PATH': '/usr/bin:/bin'})
                """;

        var starts =
                run(given.policy("allow shell:*"), sh.toString(), python.toString(), "-c", code);

        assertThat(((Starts.Known) starts).starts()).contains(given.allowed(script));
    }

    @Test
    void words_that_are_no_text_do_not_become_others() throws Exception {
        var cat = Path.of("/bin/cat").toRealPath();

        // The shell makes the bytes: this JVM can only pass on text.
        assertThat(run(cat, sh.toString(), "-c", "exec cat - \"$(printf '0\\377')\""))
                .isEqualTo(known(given.allowed(cat, "-", "0\uDCFF")));
    }

    @Test
    void a_process_that_has_ended_is_unclear() throws Exception {
        run(sleep, "/bin/sleep", "60");
        end();

        assertThat(Programs.of(given.policy()).starts(pid())).isInstanceOf(Starts.Unclear.class);
    }

    /// The program itself: `python3` on the path may be a script.
    private static Path python() throws Exception {
        var find = new ProcessBuilder("python3", "-c", "import sys; print(sys.executable)").start();
        var path = Path.of(new String(find.getInputStream().readAllBytes(), UTF_8).strip());
        assumeTrue(find.waitFor() == 0, "there is no python3 here");
        return path.toRealPath();
    }
}
