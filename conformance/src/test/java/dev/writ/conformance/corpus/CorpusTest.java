// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CorpusTest {
    private static final String GROUP =
            """
            group: A
            title: t
            policy: p
            cases:
              - id: a
                what: w
                why: w
                expected: e
                blocks: b
                reference: r
                kind: probe
                needs: [leak]
                language: sh
                escaped-if: output(secret)
                script: |
                  true
            """;

    @Test
    void every_case_is_there() {
        var counts = new TreeMap<String, Integer>();
        Corpus.load().groups().forEach(g -> counts.put(g.letter(), g.cases().size()));

        assertThat(counts)
                .isEqualTo(
                        new TreeMap<>(
                                Map.ofEntries(
                                        Map.entry("A", 36),
                                        Map.entry("B", 27),
                                        Map.entry("C", 30),
                                        Map.entry("D", 20),
                                        Map.entry("E", 51),
                                        Map.entry("F", 13),
                                        Map.entry("G", 19),
                                        Map.entry("I", 38),
                                        Map.entry("J", 13),
                                        Map.entry("K", 25),
                                        Map.entry("L", 14),
                                        Map.entry("M", 22),
                                        Map.entry("N", 25),
                                        Map.entry("T", 15))));
        assertThat(counts.values().stream().mapToInt(n -> n).sum()).isEqualTo(348);
    }

    @Test
    void each_language_has_a_control() {
        assertThat(Corpus.controls())
                .filteredOn(c -> c.kind() == Kind.PROBE)
                .extracting(Case::language)
                .containsExactlyInAnyOrder(Language.values());
        assertThat(Corpus.controls()).anyMatch(c -> c.kind() == Kind.PROXY);
    }

    @Test
    void the_rules_of_the_groups_are_capabilities() {
        var scope = new Scope(FilePath.of("/project"), FilePath.of("/home/op"), List.of());
        var rules = new ArrayList<String>();
        for (var group : Corpus.load().groups()) {
            rules.addAll(group.rules().allow());
            rules.addAll(group.rules().deny());
            group.rules().limits().forEach(l -> rules.add("limit:" + l));
        }

        assertThat(rules).isNotEmpty().allSatisfy(r -> Capability.parse(filled(r), scope));
    }

    private static String filled(String rule) {
        return rule.replaceAll("\\{[A-Z]+}", "8080").replaceAll("\\{\\w+}", "/x");
    }

    /// A careless guard once let this signal every process of the user who ran it without a
    /// sandbox.
    @Test
    void nobody_is_signaled_outside_a_pid_namespace() {
        var test = find("res-kill-helpers");

        assertThat(test.script()).containsSubsequence("HOSTPIDNS", "SKIP", "exit 2", "kill -9 -1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "output(secret)|unheard(secret)|no such oracle",
                "output(secret)|output(secret|expected",
                "kind: probe|kind: prob|no such kind",
                "[leak]|[leek]|no such needs",
                "language: sh|language: perl|no such language",
                "blocks: b|blocked: b|unknown key `blocked`",
                "what: w|what: 7|must be a text",
                "id: a|ID: a|unknown key",
            })
    void what_is_misspelled_stops_the_load(String right, String wrong, String message) {
        assertThat(Corpus.group("test", GROUP).cases()).hasSize(1);

        assertThatThrownBy(() -> Corpus.group("test", GROUP.replace(right, wrong)))
                .isInstanceOf(CorpusException.class)
                .hasMessageContaining(message);
    }

    @Test
    void words_select_groups_ids_and_patterns() {
        var selected = new Selection(List.of("F", "fs-symlink-*", "proc-kill")).of(Corpus.load());

        var ids = selected.groups().stream().flatMap(g -> g.cases().stream()).map(Case::id);
        assertThat(ids)
                .hasSize(16)
                .contains("fs-symlink-read", "fs-symlink-write", "proc-kill", "ipc-keyring");
    }

    @Test
    void a_word_that_selects_nothing_is_an_error() {
        assertThatThrownBy(() -> new Selection(List.of("fs-nothing")).of(Corpus.load()))
                .hasMessage("no case or group is called `fs-nothing`");
    }

    private static Case find(String id) {
        return Corpus.load().groups().stream()
                .flatMap(g -> g.cases().stream())
                .filter(c -> c.id().equals(id))
                .findAny()
                .orElseThrow();
    }
}
