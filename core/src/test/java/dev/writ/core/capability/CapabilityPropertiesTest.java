// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.writ.core.Arbitrary;
import dev.writ.core.pattern.Pattern.Item;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What must hold for every capability, tried on many.
class CapabilityPropertiesTest {
    private static final Scope SCOPE = Arbitrary.SCOPE;

    @Test
    void a_capability_reads_back_as_itself() {
        for (int seed = 0; seed < Arbitrary.rounds(20_000); seed++) {
            var capability = new Arbitrary(seed).capability();

            var again = Capability.parse(capability.text(SCOPE), SCOPE);

            assertThat(again)
                    .as("seed " + seed + ": " + capability.text(SCOPE))
                    .isEqualTo(capability);
            assertThat(again.text(SCOPE)).isEqualTo(capability.text(SCOPE));
        }
    }

    @Test
    void an_action_reads_back_as_itself_from_its_text_and_from_its_word() {
        for (int seed = 0; seed < Arbitrary.rounds(20_000); seed++) {
            var action = new Arbitrary(seed).action();

            assertThat(Action.parse(action.text(SCOPE), SCOPE))
                    .as("seed " + seed)
                    .isEqualTo(action);
            assertThat(WordReader.read(action.word())).as("seed " + seed).isEqualTo(action);
        }
    }

    @Test
    void the_text_of_an_action_is_a_capability_that_grants_it() {
        for (int seed = 0; seed < Arbitrary.rounds(20_000); seed++) {
            var action = new Arbitrary(seed).action();

            var narrowest = Capability.parse(action.text(SCOPE), SCOPE);

            assertThat(Grants.covers(narrowest, action))
                    .as("seed " + seed + ": " + action.text(SCOPE))
                    .isTrue();
        }
    }

    /// The loader asks rules of this kind alone whether an agent can have made a link.
    @Test
    void only_the_kind_write_speaks_of_writing() {
        for (int seed = 0; seed < Arbitrary.rounds(20_000); seed++) {
            var capability = new Arbitrary(seed).capability();
            boolean speaksOfIt =
                    Stream.concat(capability.grants().stream(), capability.forbids().stream())
                            .map(p -> p.items().getFirst())
                            .anyMatch(
                                    i -> !(i instanceof Item.Literal(var w)) || w.equals("write"));

            assertThat(speaksOfIt)
                    .as("seed " + seed + ": " + capability.text(SCOPE))
                    .isEqualTo(capability.kind() == Kind.WRITE);
        }
    }

    @Test
    void odd_names_survive_the_round_trip() {
        var names =
                List.of(
                        "a b", "a*b", "a?b", "[x]", "{y}", "a\\b", "~", " ", "a ", "\"q\"", "-",
                        "ünï", "日本", "a:b", "a=b", "#", "$(x)", "'");
        for (var name : names) {
            var path = new FilePath(List.of("p", name));
            for (Action action :
                    List.of(
                            new Action.ReadFile(path),
                            new Action.StartProgram(
                                    path, List.of(name, "", "x\ny", "\u0007", name)))) {
                assertThat(Action.parse(action.text(SCOPE), SCOPE))
                        .as(action.text(SCOPE))
                        .isEqualTo(action);
                assertThat(Grants.covers(Capability.parse(action.text(SCOPE), SCOPE), action))
                        .as(action.text(SCOPE))
                        .isTrue();
            }
        }
    }

    @Test
    void covers_is_reflexive() {
        for (int seed = 0; seed < Arbitrary.rounds(2_000); seed++) {
            var capability = new Arbitrary(seed).capability();

            assertThat(capability.covers(capability))
                    .as("seed " + seed + ": " + capability.text(SCOPE))
                    .isTrue();
        }
    }

    @Test
    void covers_is_transitive() {
        int chains = 0;
        for (int seed = 0; seed < Arbitrary.rounds(10_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var a = arbitrary.capability();
            var b = sameKind(arbitrary, a);
            var c = sameKind(arbitrary, b);
            if (!a.covers(b) || !b.covers(c)) {
                continue;
            }
            chains++;
            assertThat(a.covers(c)).as("seed " + seed).isTrue();
        }
        assertThat(chains).isGreaterThan(50);
    }

    @Test
    void covers_agrees_with_matching() {
        int covered = 0;
        int separated = 0;
        for (int seed = 0; seed < Arbitrary.rounds(6_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var a = arbitrary.capability();
            var b = sameKind(arbitrary, a);
            boolean covers = a.covers(b);
            for (int i = 0; i < 30; i++) {
                var action = arbitrary.action();
                if (Grants.covers(b, action)) {
                    boolean both = Grants.covers(a, action);
                    assertThat(both || !covers)
                            .as(
                                    "seed "
                                            + seed
                                            + ": "
                                            + a.text(SCOPE)
                                            + " covers "
                                            + b.text(SCOPE)
                                            + " but not "
                                            + action.text(SCOPE))
                            .isTrue();
                    separated += both ? 0 : 1;
                    covered += covers ? 1 : 0;
                }
            }
        }
        assertThat(covered).isGreaterThan(100);
        assertThat(separated).isGreaterThan(100);
    }

    @Test
    void random_text_is_read_or_refused_never_anything_else() {
        String alphabet = "abz/*.~\\\"[]{}?:=@%,-_ \t\n0129é。ß\u202e\ud83d\ude00\ud83d#&;!|<>ABGET";
        var kinds =
                List.of(
                        "read:",
                        "write:",
                        "exec:",
                        "shell:",
                        "net:",
                        "net:GET=https://",
                        "net:https://a.com/",
                        "listen:",
                        "unix:",
                        "env:",
                        "secret:a@https://",
                        "device:/dev/",
                        "tool:",
                        "limit:",
                        "limit:memory=",
                        "",
                        "net:[");
        for (int seed = 0; seed < Arbitrary.rounds(300_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var text = new StringBuilder(arbitrary.oneOf(kinds));
            for (int i = arbitrary.number(14); i > 0; i--) {
                text.append(alphabet.charAt(arbitrary.number(alphabet.length())));
            }
            tryToRead(text.toString());
        }
    }

    @Test
    void a_valid_text_with_one_change_is_read_or_refused_never_anything_else() {
        for (int seed = 0; seed < Arbitrary.rounds(100_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var text =
                    new StringBuilder(
                            arbitrary.chance(50)
                                    ? arbitrary.capabilityText()
                                    : arbitrary.actionText());
            int at = arbitrary.number(text.length());
            switch (arbitrary.number(3)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, (char) arbitrary.number(0x3000));
                default -> text.setCharAt(at, (char) arbitrary.number(256));
            }
            tryToRead(text.toString());
        }
    }

    private static Capability sameKind(Arbitrary arbitrary, Capability other) {
        var capability = arbitrary.capability();
        for (int i = 0; i < 30 && capability.kind() != other.kind(); i++) {
            capability = arbitrary.capability();
        }
        return capability;
    }

    private static void tryToRead(String text) {
        try {
            var capability = Capability.parse(text, SCOPE);
            assertThat(Capability.parse(capability.text(SCOPE), SCOPE))
                    .as(text)
                    .isEqualTo(capability);
        } catch (SyntaxException e) {
            checkMessage(text, e);
        } catch (RuntimeException e) {
            fail("capability `" + text + "`", e);
        }
        try {
            var action = Action.parse(text, SCOPE);
            assertThat(Action.parse(action.text(SCOPE), SCOPE)).as(text).isEqualTo(action);
        } catch (SyntaxException e) {
            checkMessage(text, e);
        } catch (RuntimeException e) {
            fail("action `" + text + "`", e);
        }
    }

    private static void checkMessage(String text, SyntaxException e) {
        assertThat(e.getMessage())
                .as(text)
                .isNotEmpty()
                .doesNotContain("\n")
                .doesNotContain("\u202e");
        assertThat(e.column())
                .as(text + ": " + e.getMessage())
                .isBetween(1, Math.max(1, text.length() + 1));
    }
}
