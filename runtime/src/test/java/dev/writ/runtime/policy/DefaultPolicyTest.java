// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Diff;
import dev.writ.core.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What holds where nobody has written a policy, and how little an agent can make of that.
class DefaultPolicyTest {
    private static final FilePath HOME = FilePath.of("/home/op");

    @TempDir Path temporary;
    private Path folder;

    @BeforeEach
    void given() throws IOException {
        folder = temporary.toRealPath();
    }

    private static Scope scope(String base) {
        return new Scope(FilePath.of(base), HOME, List.of(FilePath.of("/usr/bin")));
    }

    private static Policy load(String base) {
        return new PolicyLoader(scope(base), List.of()).byDefault().load();
    }

    private void make(String... names) throws IOException {
        for (var name : names) {
            Files.createFile(folder.resolve(name));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "pom.xml, java",
        "build.gradle.kts, java",
        "package.json, node",
        "requirements.txt, python",
        "go.mod, go",
        "Cargo.toml, rust",
        ".git, git",
        "Makefile, ''",
        "README.md, ''"
    })
    void the_names_in_the_folder_say_which_tools_there_are(String name, String profile)
            throws IOException {
        make(name);

        assertThat(DefaultPolicy.of(scope(folder.toString())).profiles())
                .isEqualTo(
                        profile.isEmpty() ? List.of("workspace") : List.of("workspace", profile));
    }

    @Test
    void several_tools_may_be_there_at_once() throws IOException {
        make("package.json", "setup.py", "pyproject.toml");

        assertThat(DefaultPolicy.of(scope(folder.toString())).profiles())
                .containsExactly("workspace", "python", "node");
    }

    /// An agent may make every name that counts before the next run.
    @Test
    void whatever_names_an_agent_makes_the_next_run_writes_nowhere_else() throws IOException {
        var before = load(folder.toString());
        make("pom.xml", "build.gradle", "package.json", "setup.py", "go.mod", "Cargo.toml", ".git");
        var after = load(folder.toString());

        // A setting of the process itself, and a free port of this machine.
        var harmless = List.of("write:/proc/self/coredump_filter", "listen:localhost:0");
        for (var widening : Diff.between(before, after).widenings()) {
            var rule = widening.rule();
            assertThat(
                            harmless.contains(rule.written())
                                    || widening.witness() instanceof Action.ReadFile
                                    || widening.witness() instanceof Action.StartProgram
                                    || widening.witness() instanceof Action.SeeVariable)
                    .as("%s, for example %s", rule, widening.witness())
                    .isTrue();
        }
        assertThat(after.decide(new Action.WriteFile(FilePath.of(folder + "/src/a"))))
                .isInstanceOf(Decision.Allow.class);
        assertThat(after.decide(new Action.ReadFile(HOME.resolve(".m2/repository/a.jar"))))
                .isInstanceOf(Decision.Allow.class);
    }

    @Test
    void what_is_kept_as_a_file_is_what_holds_without_it() throws IOException {
        make("pom.xml", "go.mod");
        var byDefault = load(folder.toString());
        var file = folder.resolve(PolicyLoader.FILE_NAME);
        Files.writeString(file, DefaultPolicy.of(scope(folder.toString())).text());
        var kept =
                new PolicyLoader(scope(folder.toString()), List.of())
                        .file(file, "writ.yaml")
                        .load();

        assertThat(Diff.between(byDefault, kept).isEmpty()).isTrue();
        assertThat(kept.rules()).hasSameSizeAs(byDefault.rules());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/home",
                "/home/op",
                "/etc",
                "/etc/ssl",
                "/usr/share/doc",
                "/tmp",
                "/proc/1"
            })
    void where_nobody_works_there_is_no_right_to_the_folder(String place) {
        var policy = load(place);

        assertThat(DefaultPolicy.of(scope(place)).danger()).isNotEmpty();
        assertThat(policy.decide(new Action.WriteFile(FilePath.of(place).resolve("a"))))
                .isInstanceOf(Decision.Deny.class);
        assertThat(policy.decide(new Action.ReadFile(HOME.resolve("letter"))))
                .isInstanceOf(Decision.Deny.class);
        assertThat(policy.decide(new Action.StartProgram(FilePath.of("/usr/bin/id"), List.of())))
                .isInstanceOf(Decision.Allow.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/home/op/project", "/home/other/project", "/srv/app", "/tmp/x"})
    void elsewhere_there_is(String place) {
        assertThat(load(place).decide(new Action.WriteFile(FilePath.of(place).resolve("a"))))
                .isInstanceOf(Decision.Allow.class);
    }
}
