// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.runtime.approval.Choice;
import dev.writ.runtime.approval.Neutral;
import dev.writ.runtime.approval.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PromptTest {
    private static final Paint PLAIN = new Paint(false);
    private static final Rule RULE =
            Rule.parse(
                    Effect.ASK,
                    "exec:git push",
                    Scope.SPELLED_OUT.at(FilePath.ROOT),
                    new Source("writ.yaml", 7, 5));
    private static final Prompt.Entry READY = new Prompt.Entry("", true, 0);

    private static Prompt prompt(Action action, Asker.Task... lineage) {
        return prompt(action, Asker.Circumstances.NONE, lineage);
    }

    private static Prompt prompt(Action action, Asker.Circumstances around, Asker.Task... lineage) {
        var question =
                new Question(
                        action,
                        RULE,
                        List.of(Asker.UNKNOWN),
                        around,
                        action.text(Scope.SPELLED_OUT),
                        "file",
                        () -> 0);
        return new Prompt(question, List.of(lineage), true, PLAIN);
    }

    private static Action write(String path) {
        return new Action.WriteFile(FilePath.of(path));
    }

    private static Action start(String... arguments) {
        return new Action.StartProgram(FilePath.of("/usr/bin/git"), List.of(arguments));
    }

    @Test
    void where_it_asks_is_shown_whole_behind_a_bar() {
        String deep = "/" + "x".repeat(700);
        var around =
                new Asker.Circumstances(
                        deep + "\n  rule   forged\u202e", "3 bytes", List.of("A"), "id");
        var lines = prompt(start("push"), around).page(200, 80, READY).lines();

        assertThat(lines).anyMatch(l -> l.startsWith("  in   | /xxx"));
        assertThat(lines).anyMatch(l -> l.equals("  input| 3 bytes"));
        String shown =
                String.join("", lines.stream().map(l -> l.replace("       | ", "")).toList());
        assertThat(shown).contains(deep + "\\u{a}").contains("\\u{202e}");
        assertThat(lines).noneMatch(l -> l.startsWith("  rule   forged"));

        var unknown = new Asker.Circumstances("", "nothing", List.of(), "unseen 1");
        assertThat(prompt(start("push"), unknown).page(200, 80, READY).lines())
                .anyMatch(l -> l.startsWith("  in") && l.endsWith("cannot be said for certain"));
    }

    @Test
    void a_question_says_what_who_and_why_and_what_can_be_answered() {
        var page =
                prompt(
                                start("push", "origin"),
                                new Asker.Task(
                                        42, "/usr/bin/git", List.of("git", "push", "origin")),
                                new Asker.Task(40, "/usr/bin/dash", List.of("sh", "-c", "a b")))
                        .page(24, 80, READY);

        assertThat(String.join("\n", page.lines()))
                .isEqualTo(
                        """
                        writ: may this happen?

                          what | exec:/usr/bin/git push origin

                          by   | 42 /usr/bin/git: git push origin
                          from | 40 /usr/bin/dash: sh -c 'a b'
                          rule   `exec:git push` (writ.yaml:7:5)

                          o  once
                          r  for this run
                          a  always: keeps exactly the line at `what` (`writ approvals`)
                          n  no
                          x  no, and no to all other questions

                        A letter and Enter; Enter alone is no:\s""");
        assertThat(page.below()).isZero();
    }

    static Stream<Arguments> hostile() {
        return Stream.of(
                Arguments.of("escape sequence", "/p/a\u001b7\u001bc", "/p/a\\u{1b}7\\u{1b}c"),
                Arguments.of("eight-bit sequence", "/p/\u009b2J", "/p/\\u{9b}2J"),
                Arguments.of("line feed", "/p/a\nrule   `x`", "/p/a\\u{a}rule \\u{20}\\u{20}`x`"),
                Arguments.of("carriage return", "/p/a\rb", "/p/a\\u{d}b"),
                Arguments.of("back space", "/p/a\bb", "/p/a\\u{8}b"),
                Arguments.of("delete", "/p/a\u007fb", "/p/a\\u{7f}b"),
                Arguments.of("override of direction", "/p/\u202egpj.exe", "/p/\\u{202e}gpj.exe"),
                Arguments.of("isolate of direction", "/p/\u2066a\u2069", "/p/\\u{2066}a\\u{2069}"),
                Arguments.of("right to left", "/p/\u05d0/b", "/p/\\u{5d0}/b"),
                Arguments.of("Arabic", "/p/\u0627", "/p/\\u{627}"),
                Arguments.of("zero width space", "/p/a\u200bb", "/p/a\\u{200b}b"),
                Arguments.of("zero width joiner", "/p/a\u200db", "/p/a\\u{200d}b"),
                Arguments.of("soft hyphen", "/p/a\u00adb", "/p/a\\u{ad}b"),
                Arguments.of("no-break space", "/p/a\u00a0b", "/p/a\\u{a0}b"),
                Arguments.of("ideographic space", "/p/a\u3000b", "/p/a\\u{3000}b"),
                Arguments.of("Hangul filler", "/p/a\u3164b", "/p/a\\u{3164}b"),
                Arguments.of("variation selector", "/p/a\ufe0fb", "/p/a\\u{fe0f}b"),
                Arguments.of("tag character", "/p/a\udb40\udc41b", "/p/a\\u{e0041}b"),
                Arguments.of("combining overlay", "/p/a\u0338b", "/p/a\\u{338}b"),
                Arguments.of("line separator", "/p/a\u2028b", "/p/a\\u{2028}b"),
                Arguments.of("private use", "/p/a\ue000b", "/p/a\\u{e000}b"),
                Arguments.of("byte that is no text", "/p/a\udc80b", "/p/a\\u{dc80}b"),
                Arguments.of("spaces in a row", "/p/a   b", "/p/a \\u{20}\\u{20}b"),
                Arguments.of("a tab", "/p/a\tb", "/p/a\\u{9}b"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostile")
    void nothing_in_a_name_hides_moves_or_imitates(String what, String path, String shown) {
        var lines = prompt(write(path)).page(24, 80, READY).lines();

        assertThat(lines.get(2)).as(what).isEqualTo("  what | write:" + shown);
        assertThat(String.join("", lines).chars()).allMatch(c -> c >= ' ' && c <= '~');
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostile")
    void nothing_in_a_command_line_does_either(String what, String text, String shown) {
        var lines =
                prompt(start("push"), new Asker.Task(1, text, List.of(text)))
                        .page(24, 80, READY)
                        .lines();

        assertThat(lines.get(4)).as(what).startsWith("  by   | 1 ");
        assertThat(lines.get(4).replace("'", "")).as(what).endsWith(": " + shown);
        assertThat(String.join("", lines).chars()).allMatch(c -> c >= ' ' && c <= '~');
    }

    @Test
    void text_that_looks_like_an_escape_is_told_from_one() {
        String text = "a\\u{1b}";
        var lines = prompt(start(text), new Asker.Task(1, "/x", List.of(text))).page(24, 80, READY);

        assertThat(lines.lines())
                .contains("  what | exec:/usr/bin/git \"a\\\\u{1b}\"", "  by   | 1 /x: a\\\\u{1b}");
        assertThat(prompt(start("a\u001b")).page(24, 80, READY).lines())
                .contains("  what | exec:/usr/bin/git \"a\\u{1b}\"");
    }

    @Test
    void spaces_at_either_end_can_be_seen() {
        assertThat(String.join("", Neutral.of(" a ", true).pieces())).isEqualTo("\\u{20}a\\u{20}");
    }

    @Test
    void letters_that_look_like_others_are_named() {
        var lines = prompt(write("/p/p\u0430sswd")).page(30, 80, READY).lines();

        assertThat(lines)
                .contains(
                        "  what | write:/p/p\u0430sswd",
                        "         not ASCII: U+0430 cyrillic small letter a");
    }

    @Test
    void outside_of_utf_8_nothing_but_ascii_is_drawn() {
        assertThat(String.join("", Neutral.of("\u1b5b\u0430", false).pieces()))
                .isEqualTo("\\u{1b5b}\\u{430}");
    }

    @Test
    void text_of_the_agent_stands_behind_a_bar_and_nowhere_else() {
        String evil =
                "x ".repeat(30)
                        + "\n  rule   `read:.` (writ.yaml:1:1)\n  o  once"
                        + "y".repeat(300);
        var task = new Asker.Task(7, "/bin/" + evil.replace('/', '_'), List.of(evil, "", "a b"));
        for (int columns : List.of(20, 40, 80, 200)) {
            var lines = prompt(start(evil), task, task).page(200, columns, READY).lines();
            var own = new ArrayList<String>();
            for (var line : lines) {
                assertThat(line.length()).as(line).isLessThan(columns);
                if (!line.matches(
                        "( {0,2})(what|by  |from|    ) \\\\| .*".replace("\\\\|", "\\|"))) {
                    own.add(line);
                }
            }
            assertThat(String.join("\n", own))
                    .doesNotContain("xx")
                    .doesNotContain("yyy")
                    .doesNotContain("x x");
        }
    }

    @Test
    void all_of_a_long_action_can_be_read_and_nothing_is_approved_before() {
        String text =
                IntStream.range(0, 300).mapToObj(i -> "w" + i).collect(Collectors.joining("-"));
        var prompt = prompt(start(text));
        var seen = new StringBuilder();
        int from = 0;
        var page = prompt.page(10, 40, new Prompt.Entry("", true, from));
        assertThat(page.below()).isPositive();
        for (int i = 0; i < 200; i++) {
            page = prompt.page(10, 40, new Prompt.Entry("", true, from));
            assertThat(page.lines()).hasSizeLessThanOrEqualTo(10).allMatch(l -> l.length() < 40);
            page.lines().stream()
                    .filter(l -> l.matches("(what |     )\\| .*"))
                    .forEach(l -> seen.append(l.substring(7)));
            if (page.below() == 0) {
                break;
            }
            from += prompt.pageLength(10, 40);
        }

        assertThat(page.below()).isZero();
        assertThat(seen.toString()).contains("w0-w1-").contains("w298-w299");
        for (int i = 0; i < 300; i++) {
            assertThat(seen.toString()).contains("w" + i);
        }
    }

    @Test
    void of_an_endless_action_the_number_of_hidden_characters_is_said_and_it_cannot_be_approved() {
        String text = "a".repeat(25_000) + "END";
        var prompt = prompt(start(text));
        String all = String.join("\n", prompt.page(500, 80, READY).lines());

        int whole = ("exec:/usr/bin/git " + text).length();
        assertThat(all)
                .contains("(" + (whole - 20_000) + " characters are not shown here)")
                .contains("END")
                .contains("it cannot be approved here");
        for (var letter : List.of("o", "r", "a")) {
            assertThat(prompt.choice(letter)).isEmpty();
        }
        assertThat(prompt.choice("n")).contains(Choice.NO);
        assertThat(prompt.choice("x")).contains(Choice.NO_TO_ALL);
    }

    @Test
    void many_generations_are_counted() {
        var lineage =
                IntStream.range(0, 20)
                        .mapToObj(i -> new Asker.Task(100 + i, "/bin/x", List.of("x")))
                        .toArray(Asker.Task[]::new);
        String all = String.join("\n", prompt(start("push"), lineage).page(60, 80, READY).lines());

        assertThat(all)
                .contains("100 ", "103 ", "(15 more between)", "119 ")
                .doesNotContain("104 ");
    }

    @Test
    void only_the_letters_that_are_offered_count_and_nothing_is_no() {
        var prompt = prompt(start("push"));

        assertThat(prompt.choice("")).contains(Choice.NO);
        assertThat(prompt.choice("a")).contains(Choice.ALWAYS);
        assertThat(List.of("y", "yes", "oo", "O", "o ", "?"))
                .allMatch(t -> prompt.choice(t).equals(Optional.empty()));
    }
}
