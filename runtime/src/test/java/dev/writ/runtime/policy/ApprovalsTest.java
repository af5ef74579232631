// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApprovalsTest {
    private static final Path POLICY = Path.of("/project/writ.yaml");
    private static final Scope SCOPE =
            new Scope(FilePath.of("/project"), FilePath.of("/home/op"), List.of());

    @TempDir Path temporary;
    private Path state;

    @BeforeEach
    void given() throws IOException {
        state = temporary.toRealPath().resolve("state");
    }

    private Approvals approvals() {
        return Approvals.of(FilePath.of(state.toString()), POLICY, SCOPE);
    }

    private static Action start(String... arguments) {
        return new Action.StartProgram(FilePath.of("/usr/bin/git"), List.of(arguments));
    }

    private Approvals.Approval add(Action action) {
        return approvals().add(action, "anna", Instant.EPOCH);
    }

    @Test
    void what_was_approved_is_there_the_next_time() throws IOException {
        var added = add(start("push", "origin"));

        assertThat(approvals().find(start("push", "origin"))).contains(added);
        assertThat(added.given()).isEqualTo("1970-01-01T00:00:00Z anna");
        assertThat(Files.readString(approvals().file()))
                .startsWith("# Remembered approvals for /project/writ.yaml\n")
                .endsWith(
                        "allow:\n  - exec:/usr/bin/git push origin  # 1970-01-01T00:00:00Z anna\n");
    }

    @Test
    void it_stands_for_exactly_that_action() {
        add(start("push"));
        add(new Action.WriteFile(FilePath.of("/project/a")));

        var approvals = approvals();
        assertThat(approvals.find(start("push", "--force"))).isEmpty();
        assertThat(approvals.find(start())).isEmpty();
        assertThat(approvals.find(new Action.WriteFile(FilePath.of("/project/a/b")))).isEmpty();
        assertThat(approvals.find(new Action.ReadFile(FilePath.of("/project/a")))).isEmpty();
    }

    @Test
    void a_command_of_many_words_is_like_others_unless_no_line_can_hold_it() {
        var many = start(Collections.nCopies(1000, "a").toArray(String[]::new));
        var more = start(Collections.nCopies(100_000, "a").toArray(String[]::new));

        add(many);

        assertThat(approvals().find(many)).isPresent();
        assertThat(approvals().rule(more)).isEmpty();
    }

    @Test
    void it_holds_for_its_own_policy_only() {
        add(start("push"));

        var other =
                Approvals.of(FilePath.of(state.toString()), Path.of("/project2/writ.yaml"), SCOPE);
        assertThat(other.find(start("push"))).isEmpty();
        assertThat(Approvals.all(FilePath.of(state.toString()), SCOPE))
                .singleElement()
                .satisfies(a -> assertThat(a.policy()).isEqualTo(POLICY.toString()));
    }

    @Test
    void only_the_owner_can_read_or_write_it() throws IOException {
        add(start("push"));

        assertThat(mode(approvals().file())).isEqualTo("rw-------");
        assertThat(mode(state.resolve("approvals"))).isEqualTo("rwx------");
        assertThat(mode(state)).isEqualTo("rwx------");
        try (var files = Files.list(state.resolve("approvals"))) {
            assertThat(files).noneMatch(f -> f.toString().endsWith(".new"));
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /// Names that say in a policy something else than themselves, or are hard to write down.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a*b", "**", "a b", "a'b", "a\"b", "a\\b", "a #b", "a: b", "- a", "{a}", "ä",
                "$(a)", "~", "!a", "&a", "a,b", "a?b", "[a]"
            })
    void a_strange_name_is_remembered_as_itself_or_not_at_all(String name) {
        for (var action :
                List.of(
                        new Action.WriteFile(FilePath.of("/p/" + name)),
                        start(name),
                        new Action.StartProgram(FilePath.of("/p/" + name), List.of("x")))) {
            if (approvals().rule(action).isPresent()) {
                add(action);
                assertThat(approvals().find(action)).isPresent();
                assertThat(approvals().list())
                        .extracting(a -> (Object) a.action())
                        .contains(action);
            }
        }
        assertThat(approvals().find(start("other"))).isEmpty();
        assertThat(approvals().find(new Action.WriteFile(FilePath.of("/p/other")))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u202eb", "a\u200bb", "a\udc80", "a\u00a0"})
    void what_does_not_look_like_what_it_is_cannot_be_remembered(String name) {
        assertThat(approvals().rule(start(name))).isEmpty();
        assertThat(approvals().rule(new Action.WriteFile(FilePath.of("/p/" + name)))).isEmpty();
    }

    /// In a word the language writes control characters in a way that can be seen; in a path not.
    @Test
    void control_characters_are_remembered_where_they_can_be_seen() {
        assertThat(approvals().rule(start("a\nb"))).contains("exec:/usr/bin/git \"a\\nb\"");
        assertThat(approvals().rule(new Action.WriteFile(FilePath.of("/p/a\nb")))).isEmpty();
        add(start("a\nb"));
        assertThat(approvals().find(start("a\nb"))).isPresent();
        assertThat(approvals().find(start("anb"))).isEmpty();
    }

    @Test
    void ordinary_actions_can_be_remembered() {
        assertThat(approvals().rule(start("commit", "-m", "two words")))
                .contains("exec:/usr/bin/git commit -m \"two words\"");
        assertThat(approvals().rule(new Action.ReadFile(FilePath.of("/project/a b"))))
                .contains("read:/project/a b");
    }

    @Test
    void what_was_forgotten_is_gone_and_so_is_an_empty_file() {
        add(start("push"));
        var kept = add(start("pull"));
        var approvals = approvals();

        approvals.forget(List.of(approvals.find(start("push")).orElseThrow()));
        assertThat(approvals().list())
                .extracting(Approvals.Approval::rule)
                .containsExactly(kept.rule());
        approvals.forget(approvals.list());
        assertThat(approvals.file()).doesNotExist();
    }

    @Test
    void two_runs_that_remember_at_once_lose_nothing() {
        var one = approvals();
        var two = approvals();

        one.add(start("push"), "anna", Instant.EPOCH);
        two.add(start("pull"), "anna", Instant.EPOCH);

        assertThat(approvals().list()).hasSize(2);
    }

    // --- what is not believed ---

    @Test
    void a_file_or_folder_that_others_can_write_is_not_used() throws IOException {
        var file = approvals().file();
        add(start("push"));
        for (var path : List.of(file, file.resolveSibling("."))) {
            var real = path.normalize();
            var before = Files.getPosixFilePermissions(real);
            Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwxrwx---"));

            assertThatThrownBy(this::approvals)
                    .isInstanceOf(InvalidPolicyException.class)
                    .hasMessageContaining("can be written by others");
            Files.setPosixFilePermissions(real, before);
        }
        assertThat(approvals().list()).hasSize(1);
    }

    @Test
    void a_file_or_folder_of_somebody_else_is_not_used() throws IOException {
        var file = approvals().file();
        add(start("push"));
        assumeTrue(
                (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0,
                "only root can give files away");
        Files.setAttribute(file, "unix:uid", 65534);

        assertThatThrownBy(this::approvals).hasMessageContaining("belongs to somebody else");
    }

    @Test
    void links_are_not_followed() throws IOException {
        add(start("push"));
        var file = approvals().file();
        var elsewhere = Files.move(file, temporary.resolve("elsewhere.yaml"));
        Files.createSymbolicLink(file, elsewhere);

        assertThatThrownBy(this::approvals).isInstanceOf(InvalidPolicyException.class);
        Files.delete(file);
        var approvals = approvals();
        Files.createSymbolicLink(file, elsewhere);
        String before = Files.readString(elsewhere);
        assertThatThrownBy(() -> approvals.add(start("pull"), "anna", Instant.EPOCH))
                .isInstanceOfAny(UncheckedIOException.class, InvalidPolicyException.class);
        assertThat(elsewhere).hasContent(before);
    }

    @Test
    void a_folder_that_is_a_link_is_not_followed() throws IOException {
        add(start("push"));
        var folder = state.resolve("approvals");
        Files.move(folder, temporary.resolve("elsewhere"));
        Files.createSymbolicLink(folder, temporary.resolve("elsewhere"));

        assertThatThrownBy(this::approvals).hasMessageContaining("is no folder");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "version: 1\nallow: [\"write:/p/**\"]\n",
                "version: 1\nallow: [\"exec:git\"]\n",
                "version: 1\nallow: [\"shell:*\"]\n",
                "version: 1\ndeny: [\"read:/p\"]\n",
                "version: 1\nask: [\"read:/p\"]\n",
                "version: 1\nextends: [git]\n",
                "version: 2\n",
                "alow: []\n",
                "not yaml: ["
            })
    void what_is_no_list_of_exact_actions_is_not_used_at_all(String text) throws IOException {
        add(start("push"));
        Files.writeString(approvals().file(), text);

        assertThatThrownBy(this::approvals).isInstanceOf(InvalidPolicyException.class);
    }
}
