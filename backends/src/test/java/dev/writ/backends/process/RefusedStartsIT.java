// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.sandbox.NotStartedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Programs that the kernel alone would refuse: what was tried is written down and said.
class RefusedStartsIT {
    @TempDir Path temporary;
    private Confined confined;
    private Path strange;

    @BeforeEach
    void given() throws Exception {
        confined = new Confined(temporary).allow("exec:/usr/bin/**", "exec:/bin/**");
        confined.allow("exec:" + confined.work + "/**", "read:" + confined.outside);
        strange = program(confined.outside.resolve("strange"), "#!/bin/sh\necho began\n");
    }

    private static Path program(Path path, String text) throws IOException {
        Files.writeString(path, text);
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<String> refused() {
        return confined.log.events().stream()
                .filter(e -> e instanceof AuditEvent.Judged judged && !judged.permitted())
                .map(e -> ((AuditEvent.Judged) e).action().toString())
                .toList();
    }

    @Test
    void a_program_in_a_folder_without_a_rule_is_refused_with_a_line() throws Exception {
        assertThat(confined.runFreely(strange).output()).isEqualTo("began\n");

        var result = confined.sh(strange + " 2>&1; echo $?");

        assertThat(result.output())
                .startsWith("writ: denied: `exec:")
                .contains("add `exec:", "strange` to `allow`", "126")
                .doesNotContain("began");
        assertThat(refused()).hasSize(1);
        assertThat(refused().getFirst()).contains(strange.toString());
    }

    @Test
    void so_is_the_interpreter_of_a_script() throws Exception {
        var interpreter = confined.outside.resolve("interpreter");
        Files.copy(Path.of("/bin/cat"), interpreter);
        program(confined.work.resolve("script"), "#!" + interpreter + "\nbegan\n");
        program(confined.work.resolve("usual"), "#!/bin/cat\nbegan\n");

        assertThat(confined.sh("./usual").output()).contains("began");
        assertThat(refused()).isEmpty();
        assertThat(confined.sh("./script 2>&1").output())
                .contains("writ: denied: `exec:", "interpreter` to `allow`")
                .doesNotContain("began");
        assertThat(refused()).hasSize(1);
    }

    @Test
    void so_is_that_of_the_first_program() throws Exception {
        var interpreter = confined.outside.resolve("interpreter");
        Files.copy(Path.of("/bin/cat"), interpreter);
        var script = program(confined.work.resolve("script"), "#!" + interpreter + "\nbegan\n");

        assertThat(confined.runFreely(script).output()).contains("began");
        assertThatThrownBy(() -> confined.run(script))
                .isInstanceOfSatisfying(
                        NotStartedException.class, e -> assertThat(e.exitCode()).isEqualTo(126))
                .hasMessageContaining("denied: `exec:")
                .hasMessageContaining("interpreter` to `allow`");
    }

    @Test
    void a_relative_name_and_a_descriptor_of_its_folder_are_seen_through() throws Exception {
        var probe =
                confined.compile(
                        "at",
                        """
                        int main(int n, char **w) {
                            say("relative", execveat(open(w[1], O_PATH), "strange", w, environ, 0));
                            chdir(w[1]);
                            say("here", execv("./strange", w));
                            say("nothing", execv("./none", w));
                        }
                        """);
        confined.allow("exec:" + confined.tools + "/**");

        var result = confined.sh(probe + " " + confined.outside + " 2> /dev/null");

        assertThat(result.output()).isEqualTo("relative EACCES\nhere EACCES\nnothing ENOENT\n");
        // One task, one file: one refusal.
        assertThat(refused()).hasSize(1);
    }

    @Test
    void a_name_that_led_elsewhere_before_is_looked_at_again() throws Exception {
        confined.sh("ln -s /bin/true $PWD/l; $PWD/l; $PWD/l; ln -sf " + strange + " l; $PWD/l");

        assertThat(refused()).hasSize(1);
    }

    @Test
    void what_is_no_program_or_not_there_is_no_refusal() throws Exception {
        Files.writeString(confined.outside.resolve("text"), "text");

        confined.sh("nonesuch; " + confined.outside + "/text; " + confined.outside + "/none; true");

        assertThat(refused()).isEmpty();
    }

    @Test
    void a_search_that_finds_what_it_may_start_further_on_is_no_refusal() throws Exception {
        program(confined.outside.resolve("uname"), "#!/bin/sh\necho began\n");
        var found =
                new Confined(Files.createDirectory(temporary.resolve("other")), confined.outside);
        found.allow("exec:/usr/bin/**", "exec:/bin/**");
        var search = "PATH=" + confined.outside + ":/usr/bin env uname";

        var result = found.sh(search);

        assertThat(result.output()).isEqualTo("Linux\n");
        assertThat(found.log.events())
                .noneMatch(e -> e instanceof AuditEvent.Judged judged && !judged.permitted());
        assertThat(found.sh("PATH=" + confined.outside + ":/usr/bin env strange 2>&1").output())
                .contains("writ: denied: `exec:");
    }
}
