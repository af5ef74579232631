// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.FilePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramsTest {
    @TempDir Path temporary;
    private Given given;

    @BeforeEach
    void given() throws IOException {
        given = new Given(temporary);
    }

    private Starts starts(Image image) {
        return Programs.of(given.policy("allow shell:*")).starts(image);
    }

    private static Starts known(Start... starts) {
        return new Starts.Known(List.of(starts));
    }

    private static Starts unclear(String why) {
        return new Starts.Unclear("what it starts cannot be told: " + why);
    }

    @Nested
    class A_program {
        @Test
        void is_one_start() throws IOException {
            var program = given.program("tool");

            assertThat(starts(given.image(program, "tool", "a", "", "b c")))
                    .isEqualTo(known(given.allowed(program, "a", "", "b c")));
        }

        @Test
        void that_is_given_a_file_does_not_run_it() throws IOException {
            var program = given.program("cat");
            given.file("x.sh", "#!/bin/sh\n");

            assertThat(starts(given.image(program, "cat", "x.sh")))
                    .isEqualTo(known(given.allowed(program, "x.sh")));
        }

        @Test
        void that_is_given_its_own_name_is_no_script() throws IOException {
            var program = given.program("tool");

            assertThat(starts(given.named(program, "./tool", "tool", "./tool")))
                    .isEqualTo(known(given.allowed(program, "./tool")));
        }

        @Test
        void that_is_called_by_a_part_of_its_name_is_that_part() throws IOException {
            var git = given.program("git");

            assertThat(starts(given.image(git, "/usr/lib/git-push", "status")))
                    .isEqualTo(
                            known(
                                    given.allowed(git, "status"),
                                    given.allowed(git, "push", "status")));
        }

        @Test
        void that_is_called_something_else_may_be_that() throws IOException {
            var box = given.program("toolbox");

            assertThat(starts(given.image(box, "rm", "-r")))
                    .isEqualTo(known(given.allowed(box, "-r"), given.notDenied(box, "rm", "-r")));
        }

        @Test
        void that_was_deleted_is_also_what_it_was() throws IOException {
            var program = given.program("tool");
            var deleted =
                    new Image(
                            new ProgramFile(FilePath.of("/w/tool (deleted)"), program),
                            "tool (deleted)",
                            List.of("a"),
                            "./tool",
                            given.image(program, "x").process());

            assertThat(starts(deleted))
                    .isEqualTo(
                            known(
                                    given.allowed(Path.of("/w/tool (deleted)"), "a"),
                                    given.notDenied(Path.of("/w/tool"), "a"),
                                    given.notDenied(Path.of("/w/tool"), "tool (deleted)", "a")));
        }
    }

    @Nested
    class A_script {
        @Test
        void is_started_and_so_is_its_interpreter() throws IOException {
            var sh = given.program("run");
            var script = given.file("s", "#!" + sh + " -a b\n");

            assertThat(starts(given.named(sh, "./s", sh.toString(), "-a b", "./s", "x")))
                    .isEqualTo(
                            known(
                                    given.allowed(sh, "-a b", "./s", "x"),
                                    given.allowed(script, "x")));
        }

        @Test
        void may_have_a_script_as_its_interpreter() throws IOException {
            var run = given.program("run");
            var inner = given.file("inner", "#!" + run + " -i\n");
            var outer = given.file("outer", "#!inner -o\n");
            Files.createSymbolicLink(given.folder.resolve("link"), outer);

            assertThat(
                            starts(
                                    given.named(
                                            run,
                                            "./link",
                                            run.toString(),
                                            "-i",
                                            "inner",
                                            "-o",
                                            "./link",
                                            "x")))
                    .isEqualTo(
                            known(
                                    given.allowed(run, "-i", "inner", "-o", "./link", "x"),
                                    given.allowed(inner, "-o", "./link", "x"),
                                    given.allowed(outer, "x")));
        }

        @Test
        void that_is_called_like_an_option_keeps_its_arguments() throws IOException {
            var run = given.program("run");
            var script = given.file("-x", "#!" + run + " -x\n");

            assertThat(starts(given.named(run, "-x", run.toString(), "-x", "-x", "-x")))
                    .isEqualTo(
                            known(
                                    given.allowed(run, "-x", "-x", "-x"),
                                    given.allowed(script, "-x")));
        }

        @Test
        void of_a_registered_kind_has_no_first_line() throws IOException {
            var run = given.program("run");
            var script = given.file("a.class", "\u00ca");

            assertThat(starts(given.named(run, "./a.class", "run", "./a.class", "x")))
                    .isEqualTo(
                            known(
                                    given.allowed(run, "./a.class", "x"),
                                    given.allowed(script, "x")));
        }

        @Test
        void that_is_a_known_interpreters_needs_to_be_allowed_once() throws IOException {
            var sh = given.program("sh");
            var script = given.file("s", "#!" + sh + "\n");

            assertThat(starts(given.named(sh, "./s", sh.toString(), "./s", "x")))
                    .isEqualTo(known(given.allowed(sh, "./s", "x"), given.allowed(script, "x")));
        }

        @Test
        void that_was_exchanged_is_unclear() throws IOException {
            var run = given.program("run");
            given.file("s", "#!" + run + "\n");

            assertThat(starts(given.named(run, "./s", run.toString(), "-x", "./s")))
                    .isEqualTo(unclear("the script `./s` does not fit its arguments"));
            assertThat(starts(given.named(run, "./t", run.toString(), "./t")))
                    .isEqualTo(unclear("the script `./t` is gone"));
        }

        @Test
        void that_is_its_own_interpreter_ends() throws IOException {
            var run = given.program("run");
            given.file("s", "#!./s\n");

            assertThat(starts(given.named(run, "./s", "x", "y", "./s")))
                    .isInstanceOf(Starts.Unclear.class);
        }
    }

    @Nested
    class A_loader {
        private static final String ITSELF = Given.LOADER.toString();

        @Test
        void starts_its_file() throws IOException {
            var tool = given.program("tool");

            assertThat(starts(given.image(Given.LOADER, ITSELF, "./tool", "a")))
                    .isEqualTo(
                            known(
                                    given.allowed(Given.LOADER, "./tool", "a"),
                                    given.allowed(tool, "a")));
        }

        @Test
        void under_another_name_starts_its_file() throws IOException {
            var copy = given.copy(ITSELF, "l");
            var tool = given.program("tool");

            assertThat(starts(given.image(copy, "l", "--inhibit-cache", "./tool")))
                    .isEqualTo(
                            known(
                                    given.allowed(copy, "--inhibit-cache", "./tool"),
                                    given.allowed(tool)));
        }

        @Test
        void starts_what_its_file_starts() throws IOException {
            var copy = given.copy(ITSELF, "l");
            var python = given.program("python3.1");
            var script = given.file("x.py", "");

            assertThat(starts(given.image(copy, "l", "./l", "./python3.1", "x.py", "y")))
                    .isEqualTo(
                            known(
                                    given.allowed(copy, "./l", "./python3.1", "x.py", "y"),
                                    given.allowed(copy, "./python3.1", "x.py", "y"),
                                    given.allowed(python, "x.py", "y"),
                                    given.notDenied(script, "y")));
        }

        @Test
        void can_call_its_file_what_it_likes() throws IOException {
            var copy = given.copy(ITSELF, "l");
            var box = given.program("busybox");
            var script = given.file("x", "");

            assertThat(starts(given.image(copy, "l", "--argv0", "sh", "./busybox", "x")))
                    .isEqualTo(
                            known(
                                    given.allowed(copy, "--argv0", "sh", "./busybox", "x"),
                                    given.allowed(box, "x"),
                                    given.notDenied(box, "sh", "x"),
                                    given.notDenied(script)));
        }

        @Test
        void that_is_not_understood_is_unclear() {
            assertThat(starts(given.image(Given.LOADER, ITSELF, "--new", "/bin/sh")))
                    .isInstanceOf(Starts.Unclear.class);
            assertThat(starts(given.image(Given.LOADER, ITSELF, "./nothing")))
                    .isInstanceOf(Starts.Unclear.class);
        }
    }

    @Nested
    class An_interpreter {
        @Test
        void runs_its_script_which_must_not_be_denied() throws IOException {
            var python = given.program("python3.1");
            var script = given.file("a/x.py", "");
            Files.createSymbolicLink(given.folder.resolve("link"), script);

            assertThat(starts(given.image(python, "python3.1", "-u", "link", "y")))
                    .isEqualTo(
                            known(
                                    given.allowed(python, "-u", "link", "y"),
                                    given.notDenied(script, "y")));
        }

        @Test
        void looks_for_its_script_where_programs_are() throws IOException {
            var bash = given.program("bash");
            var script = given.file("bin/deploy", "");
            given.withPath("/nowhere:" + given.folder.resolve("bin"));

            assertThat(starts(given.image(bash, "bash", "deploy")))
                    .isEqualTo(known(given.allowed(bash, "deploy"), given.notDenied(script)));
        }

        @Test
        void completes_the_name_of_its_script() throws IOException {
            var node = given.program("node");
            var script = given.file("app.js", "");
            var index = given.file("lib/index.js", "");

            assertThat(starts(given.image(node, "node", "./app")))
                    .isEqualTo(known(given.allowed(node, "./app"), given.notDenied(script)));
            assertThat(starts(given.image(node, "node", "lib")))
                    .isEqualTo(known(given.allowed(node, "lib"), given.notDenied(index)));
        }
    }

    @Nested
    class Judging {
        private List<String> questions(Image image, String... rules) {
            var policy = given.policy(rules);
            return switch (Programs.of(policy).starts(image)) {
                case Starts.Known known ->
                        known.questions(policy).stream().map(a -> a.text(policy.scope())).toList();
                case Starts.Unclear(var why) -> List.of(why);
            };
        }

        @Test
        void asks_about_every_start_that_must_be_allowed() throws IOException {
            var run = given.program("run");
            given.file("s", "#!" + run + "\n");

            assertThat(
                            questions(
                                    given.named(run, "./s", run.toString(), "./s"),
                                    "allow exec:./run"))
                    .containsExactly("exec:./run ./s", "exec:./s");
        }

        @Test
        void asks_about_an_interpreters_script_only_if_a_rule_names_it() throws IOException {
            var sh = given.program("sh");
            given.file("deploy", "");
            var image = given.image(sh, "sh", "deploy", "now");

            assertThat(questions(image, "allow exec:./sh")).containsExactly("exec:./sh deploy now");
            assertThat(questions(image, "allow shell:*", "deny exec:./other"))
                    .containsExactly("exec:./sh deploy now");
            assertThat(questions(image, "allow shell:*", "deny exec:./deploy now"))
                    .containsExactly("exec:./sh deploy now", "exec:./deploy now");
            assertThat(questions(image, "allow exec:./sh", "ask exec:./deploy"))
                    .containsExactly("exec:./sh deploy now", "exec:./deploy now");
            assertThat(questions(image, "allow shell:*", "deny exec:deploy later"))
                    .containsExactly("exec:./sh deploy now");
        }

        @Test
        void asks_once_about_the_names_of_one_thing() throws IOException {
            var bin = given.program("bin/git");
            var copy = given.program("g");

            assertThat(
                            questions(
                                    given.image(copy, "git-push", "origin"),
                                    "allow shell:*",
                                    "ask exec:" + bin + " push"))
                    .containsExactly("exec:./g origin", "exec:./bin/git push origin");
            assertThat(questions(given.image(bin, "push", "push"), "ask exec:./bin/git"))
                    .containsExactly("exec:./bin/git push");
        }

        @Test
        void asks_what_a_loader_loads() throws IOException {
            given.program("git");
            var image = given.image(Given.LOADER, "ld", "./git", "push");

            assertThat(questions(image, "allow shell:*", "deny exec:git push"))
                    .contains("exec:./git push");
        }
    }
}
