// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Ways to start a program that a rule denies.
class StartsIT {
    @TempDir Path temporary;
    private Confined confined;
    private Path denied;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
        denied = confined.compile("denied", "int main(int n, char **w) { puts(\"ran\"); }");
        confined.deny("exec:" + denied);
    }

    private void doesNotRun(String... commands) throws Exception {
        for (var command : commands) {
            assertThat(confined.sh(command).output()).as(command).doesNotContain("ran");
        }
    }

    @Test
    void under_no_name_a_denied_program_runs() throws Exception {
        Files.writeString(confined.work.resolve("script"), "#!" + denied + "\n");
        Files.setPosixFilePermissions(
                confined.work.resolve("script"), PosixFilePermissions.fromString("rwxr-xr-x"));

        doesNotRun(
                denied.toString(),
                "exec " + denied,
                "cp " + denied + " c; ./c",
                "ln " + denied + " l; ./l",
                "ln -s " + denied + " s; ./s",
                "./script",
                "cp script t; ./t",
                "env -i " + denied,
                "/lib64/ld-linux-x86-64.so.2 " + denied,
                "cp /lib64/ld-linux-x86-64.so.2 ld; chmod +x ld; ./ld " + denied,
                "cp " + denied + " d; exec 9<d; rm d; /proc/self/fd/9",
                "timeout 5 nice " + denied,
                "(exec -a true " + denied + ")");
        assertThat(confined.runFreely(denied).output()).isEqualTo("ran\n");
    }

    @Test
    void odd_ways_to_exec_are_judged_too() throws Exception {
        var probe =
                confined.compile(
                        "ways",
                        """
                        static char *file;
                        static void *thread(void *_) { execl(file, "true", NULL); return 0; }
                        static int vforked(void) { int p = vfork(); if (!p) { execl(file, file, NULL); _exit(1); } return p; }
                        int main(int count, char **words) {
                            int status;
                            char text[65536];
                            file = words[1];
                            if (fork() == 0) fexecve(open(file, O_PATH), words, environ);
                            if (fork() == 0) syscall(SYS_execveat, open(file, O_RDONLY), "", words, environ, AT_EMPTY_PATH);
                            if (fork() == 0) { pthread_t t; pthread_create(&t, 0, thread, 0); pause(); }
                            vforked();
                            if (fork() == 0) {
                                int from = open(file, O_RDONLY), to = memfd_create("m", 0), length;
                                while ((length = read(from, text, sizeof text)) > 0) write(to, text, length);
                                fexecve(to, words, environ);
                            }
                            if (fork() == 0) { char *none[] = {NULL}; execve(file, none, none); }
                            while (wait(&status) > 0) printf("%d\\n", WEXITSTATUS(status));
                        }
                        """);

        assertThat(confined.run(probe, denied).output()).isEqualTo("126\n".repeat(6));
        assertThat(confined.runFreely(probe, denied).output().lines().filter("ran"::equals))
                .hasSize(6);
    }

    /// Arguments are judged after the kernel has copied them.
    @Test
    void arguments_that_change_meanwhile_are_judged_as_they_arrive() throws Exception {
        var echo = Path.of("/usr/bin/echo");
        confined.deny("exec:" + echo + " bad");
        var probe =
                confined.compile(
                        "arguments",
                        """
                        static char *argument;
                        static void *flip(void *_) { while (1) { memcpy(argument, "bad", 4); memcpy(argument, "ok\\0", 4); } }
                        int main(int count, char **words) {
                            argument = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                            strcpy(argument, "ok");
                            if (fork() == 0) { prctl(PR_SET_PDEATHSIG, SIGKILL); flip(0); }
                            for (int i = 0; i < 150; i++) {
                                if (fork() == 0) execl(words[1], words[1], argument, NULL);
                                wait(0);
                            }
                            _exit(0);
                        }
                        """);

        var output = confined.run(probe, echo).output();
        assertThat(output.lines()).contains("ok").doesNotContain("bad");
        assertThat(confined.runFreely(probe, echo).output().lines()).contains("bad");
    }

    @Test
    void a_program_that_is_denied_says_so_and_others_go_on() throws Exception {
        var result = confined.sh(denied + "; echo $?; exec 2>&-; " + denied + "; echo $?");

        assertThat(result.output()).isEqualTo("126\n126\n");
        assertThat(result.errors()).startsWith("writ: denied: ").contains("denied");
    }

    @Test
    void why_a_long_command_is_denied_can_be_read() throws Exception {
        var result = confined.sh("%s $(seq 5000) 2>&1 | cat".formatted(denied));

        assertThat(result.output())
                .hasLineCount(1)
                .contains("denied by `")
                .endsWith("\n")
                .hasSizeLessThan(2000);
    }

    @Test
    void what_is_asked_about_waits_and_the_rest_runs() throws Exception {
        confined.ask("exec:/usr/bin/true", "read:./asked");
        Confined.file(confined.work.resolve("asked"), "yes");

        assertThat(confined.sh("true && cat asked").output()).isEqualTo("yes");
    }

    /// The kernel's wall is built at the start; `python3 -m venv` and `npm ci` make folders of
    /// programs later, also in the place of others.
    @Test
    void what_is_made_during_the_run_starts_where_a_rule_says_so_and_nowhere_else()
            throws Exception {
        var some = new Confined(Files.createDirectory(temporary.resolve("some")));
        some.allow("shell:chmod,cp,mkdir,rm", "exec:./made/bin/*", "exec:./there/*");
        Files.createDirectory(some.work.resolve("there"));
        var script =
                """
                mkdir -p made/bin; rm -r there; mkdir there
                for f in made/bin/a there/a made/a other; do cp /bin/echo $f; ./$f $f; done
                printf '#!/bin/sh\\necho script' > made/bin/s; chmod +x made/bin/s
                made/bin/s
                """;

        assertThat(some.sh(script).output()).isEqualTo("made/bin/a\nthere/a\nscript\n");
        assertThat(some.runFreely("/bin/sh", "-c", script).output()).contains("other");
    }
}
