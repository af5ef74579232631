// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

import dev.writ.conformance.oracle.Oracle;
import dev.writ.conformance.oracle.OracleReader;
import dev.writ.conformance.oracle.UnknownOracleException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// All cases, in the order they are told.
public record Corpus(List<Group> groups) {
    private static final String LETTERS = "ABCDEFGKIJLTMN";
    private static final Set<String> GROUP_KEYS =
            Set.of("group", "title", "policy", "allow", "deny", "limits", "cases");
    private static final Set<String> CASE_KEYS =
            Set.of(
                    "id",
                    "what",
                    "why",
                    "expected",
                    "blocks",
                    "reference",
                    "kind",
                    "needs",
                    "language",
                    "escaped-if",
                    "works-if",
                    "script");

    public Corpus {
        groups = List.copyOf(groups);
        var ids = new HashSet<String>();
        for (var group : groups) {
            for (var test : group.cases()) {
                if (!ids.add(test.id())) {
                    throw new CorpusException("two cases are called `" + test.id() + "`");
                }
            }
        }
    }

    /// The cases that come with Writ.
    ///
    /// @throws CorpusException if one of them cannot be read
    public static Corpus load() {
        return new Corpus(
                LETTERS.chars()
                        .mapToObj(c -> String.valueOf((char) c))
                        .map(l -> group("cases/" + l + ".yaml", resource("cases/" + l + ".yaml")))
                        .toList());
    }

    /// What every sandbox must let through: their oracles hold when all is well.
    public static List<Case> controls() {
        return group("controls.yaml", resource("controls.yaml")).cases();
    }

    /// Reads the text of one case file.
    ///
    /// @param place what to call it in a message
    public static Group group(String place, String yaml) {
        Fields fields = Fields.of(place, parse(place, yaml), GROUP_KEYS);
        String letter = fields.text("group");
        return new Group(
                letter,
                fields.text("title"),
                fields.text("policy"),
                new Group.Rules(
                        fields.texts("allow"), fields.texts("deny"), fields.texts("limits")),
                fields.list("cases").stream().map(c -> test(place, letter, c)).toList());
    }

    private static Case test(String place, String letter, @Nullable Object value) {
        String id = Fields.of(place, value, CASE_KEYS).text("id");
        Fields fields = Fields.of(place + ": " + id, value, CASE_KEYS);
        Set<Need> needs = EnumSet.noneOf(Need.class);
        needs.addAll(fields.choices("needs", Need.class));
        String question = letter.equals("control") ? "works-if" : "escaped-if";
        return new Case(
                id,
                letter,
                fields.text("what"),
                fields.text("why"),
                fields.text("expected"),
                fields.text("blocks"),
                fields.text("reference"),
                fields.choice("kind", Kind.class),
                needs,
                fields.choice("language", Language.class),
                fields.text("script"),
                oracle(place + ": " + id, fields.text(question)),
                fields.text(question));
    }

    private static Oracle oracle(String place, String text) {
        try {
            return OracleReader.read(text);
        } catch (UnknownOracleException e) {
            throw new CorpusException(place + ": " + e.getMessage(), e);
        }
    }

    private static @Nullable Object parse(String place, String yaml) {
        try {
            return new Load(LoadSettings.builder().setLabel(place).build()).loadFromString(yaml);
        } catch (YamlEngineException e) {
            throw new CorpusException(place + ": " + e.getMessage(), e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Corpus.class.getResourceAsStream("/dev/writ/conformance/" + name)) {
            if (in == null) {
                throw new CorpusException("missing: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
