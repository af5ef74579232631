// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Kind;
import dev.writ.core.capability.Limit;
import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Secret;
import dev.writ.core.capability.SecretForm;
import dev.writ.core.capability.SecretSource;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Isolation;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.SecretDefinition;
import dev.writ.core.policy.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// One policy text and what it says, before anything it extends is looked at. The vocabulary is
/// closed, and every problem is collected: a person fixes them all at once.
final class PolicyText {
    /// A policy or profile to build upon, and where it is named.
    record Extends(String name, Source source) {}

    private static final List<String> KEYS =
            List.of("version", "extends", "allow", "ask", "deny", "limits", "secrets", "isolation");
    private static final List<String> SECRET_KEYS = List.of("from", "to", "as", "env");
    private static final int MOST_RULES = 50_000;

    private final Scope scope;
    private final List<Problem> problems;
    private final List<Rule> rules = new ArrayList<>();
    private final List<Extends> parents = new ArrayList<>();
    private final List<SecretDefinition> secrets = new ArrayList<>();
    private Optional<Isolation> isolation = Optional.empty();

    private PolicyText(Scope scope, List<Problem> problems) {
        this.scope = scope;
        this.problems = problems;
    }

    /// Reads `text`; what is wrong with it goes to `problems`.
    static PolicyText read(String text, String place, Scope scope, List<Problem> problems) {
        return read(() -> YamlReader.read(text, place), scope, problems);
    }

    /// The same for a profile that is shipped with Writ.
    static PolicyText readProfile(String text, String place, Scope scope, List<Problem> problems) {
        return read(
                () -> PlainYaml.read(text, place).or(() -> YamlReader.read(text, place)),
                scope,
                problems);
    }

    private static PolicyText read(
            Supplier<Optional<Yaml>> reader, Scope scope, List<Problem> problems) {
        var policy = new PolicyText(scope, problems);
        try {
            reader.get().ifPresent(policy::root);
        } catch (InvalidPolicyException e) {
            problems.addAll(e.problems());
        }
        return policy;
    }

    List<Rule> rules() {
        return rules;
    }

    List<Extends> parents() {
        return parents;
    }

    List<SecretDefinition> secrets() {
        return secrets;
    }

    /// Whether it says nothing besides its rules.
    boolean hasRulesOnly() {
        return parents.isEmpty() && secrets.isEmpty() && isolation.isEmpty();
    }

    Optional<Isolation> isolation() {
        return isolation;
    }

    private void root(Yaml root) {
        if (!(root instanceof Yaml.Fields(var fields, _))) {
            problem(
                    root.source(),
                    "a policy is a mapping, not " + root.describe(),
                    "begin with `version: 1`");
            return;
        }
        for (var field : fields) {
            switch (field.key().value()) {
                case "version" -> version(field.value());
                case "extends" ->
                        texts(field.value(), true)
                                .forEach(t -> parents.add(new Extends(t.value(), t.source())));
                case "allow" -> rules(Effect.ALLOW, field.value());
                case "ask" -> rules(Effect.ASK, field.value());
                case "deny" -> rules(Effect.DENY, field.value());
                case "limits" -> limits(field.value());
                case "secrets" -> secrets(field.value());
                case "isolation" -> isolation(field.value());
                default -> unknownKey(field.key(), KEYS);
            }
        }
    }

    private void version(Yaml value) {
        if (!(value instanceof Yaml.Text text && text.value().equals("1"))) {
            problem(value.source(), "the only version is 1", "write `version: 1`");
        }
    }

    private void rules(Effect effect, Yaml value) {
        for (var text : texts(value, false)) {
            capability(text, text.value(), 0)
                    .ifPresent(c -> add(effect, c, text.value(), text.source()));
        }
    }

    private void add(Effect effect, Capability capability, String written, Source source) {
        if (effect != Effect.ALLOW && capability.kind() == Kind.LIMIT) {
            problem(source, "a limit cannot be asked for or denied", "write it under `limits`");
        } else if (rules.size() == MOST_RULES) {
            problem(source, "more than " + MOST_RULES + " rules", "");
        } else if (rules.size() < MOST_RULES) {
            rules.add(new Rule(effect, capability, written, source));
        }
    }

    /// Reads a capability; `prefix` is how many of its first characters are not in the file.
    private Optional<Capability> capability(Yaml.Text text, String capability, int prefix) {
        return read(text, prefix, () -> Capability.parse(capability, scope));
    }

    private <T> Optional<T> read(Optional<Yaml.Text> text, Function<String, T> reader) {
        return text.flatMap(t -> read(t, 0, () -> reader.apply(t.value())));
    }

    private <T> Optional<T> read(Yaml.Text text, int prefix, Supplier<T> reader) {
        try {
            return Optional.of(reader.get());
        } catch (SyntaxException e) {
            int column = text.textColumn() + Math.max(0, e.column() - 1 - prefix);
            problem(
                    new Source(text.source().place(), text.source().line(), column),
                    e.getMessage(),
                    e.hint());
            return Optional.empty();
        }
    }

    private void limits(Yaml value) {
        for (var field : fields(value, "limits")) {
            if (!Limit.Resource.words().contains(field.key().value())) {
                unknownKey(field.key(), Limit.Resource.words());
            } else if (field.value() instanceof Yaml.Text text) {
                String prefix = "limit:" + field.key().value() + "=";
                capability(text, prefix + text.value(), prefix.length())
                        .ifPresent(c -> add(Effect.ALLOW, c, prefix + text.value(), text.source()));
            } else {
                problem(
                        field.value().source(),
                        "an amount is needed, not " + field.value().describe(),
                        "write it like `memory: 512m`");
            }
        }
    }

    private void secrets(Yaml value) {
        for (var field : fields(value, "secrets")) {
            var definition = new SecretText();
            for (var part : fields(field.value(), "a secret")) {
                if (!SECRET_KEYS.contains(part.key().value())) {
                    unknownKey(part.key(), SECRET_KEYS);
                } else if (part.value() instanceof Yaml.Text text) {
                    definition.put(part.key().value(), text);
                } else {
                    problem(
                            part.value().source(),
                            "a text is needed, not " + part.value().describe(),
                            "");
                }
            }
            secret(field.key(), definition);
        }
    }

    private static final class SecretText {
        private Optional<Yaml.Text> from = Optional.empty();
        private Optional<Yaml.Text> to = Optional.empty();
        private Optional<Yaml.Text> as = Optional.empty();
        private Optional<Yaml.Text> env = Optional.empty();

        void put(String key, Yaml.Text text) {
            switch (key) {
                case "from" -> from = Optional.of(text);
                case "to" -> to = Optional.of(text);
                case "as" -> as = Optional.of(text);
                default -> env = Optional.of(text);
            }
        }
    }

    private void secret(Yaml.Text name, SecretText text) {
        if (text.from.isEmpty() || text.to.isEmpty()) {
            problem(
                    name.source(),
                    "the secret `" + Text.shown(name.value()) + "` needs `from` and `to`",
                    "write it like `{from: env:GITHUB_TOKEN, to: https://api.github.com}`");
            return;
        }
        var from = read(text.from, t -> SecretSource.parse(t, scope));
        var as =
                text.as.isPresent()
                        ? read(text.as, SecretForm::parse)
                        : Optional.of(SecretForm.usual());
        var variable = read(text.env, t -> SecretSource.variable(t, 0));
        String prefix = "secret:" + name.value() + "@";
        var to = capability(text.to.get(), prefix + text.to.get().value(), prefix.length());
        if (from.isPresent() && as.isPresent() && to.isPresent()) {
            add(Effect.ALLOW, to.get(), to.get().text(scope), name.source());
            from.get()
                    .file()
                    .ifPresent(f -> deny(name.source(), Capability.read(f), Capability.write(f)));
            from.get().program().ifPresent(f -> deny(name.source(), Capability.write(f)));
            secrets.add(
                    new SecretDefinition(
                            from.get(),
                            (Secret) to.get(),
                            as.get(),
                            variable.or(from.get()::variable)));
        }
    }

    /// What holds a secret or brings one is for Writ alone, whatever other rules say.
    private void deny(Source source, Capability... capabilities) {
        for (var capability : capabilities) {
            add(Effect.DENY, capability, capability.text(scope), source);
        }
    }

    private void isolation(Yaml value) {
        switch (value) {
            case Yaml.Text(var word, var source, _) -> {
                if (word.equals("auto")) {
                    isolation = Optional.of(new Isolation.Auto());
                } else if (Isolation.BACKENDS.contains(word)) {
                    isolation = Optional.of(new Isolation.Backend(word));
                } else {
                    var known = new ArrayList<>(Isolation.BACKENDS);
                    known.add("auto");
                    unknown(source, "unknown backend `" + Text.shown(word) + "`", word, known);
                }
            }
            case Yaml.Fields(var fields, _)
                    when fields.size() == 1 && fields.getFirst().key().value().equals("against") ->
                    against(fields.getFirst().value());
            case Yaml.Fields _, Yaml.Items _ ->
                    problem(
                            value.source(),
                            "isolation is `auto`, a backend, or `against: [...]`",
                            "");
        }
    }

    private void against(Yaml value) {
        var threats = new ArrayList<String>();
        for (var text : texts(value, true)) {
            if (Isolation.THREATS.contains(text.value())) {
                threats.add(text.value());
            } else {
                unknown(
                        text.source(),
                        "unknown threat `" + Text.shown(text.value()) + "`",
                        text.value(),
                        Isolation.THREATS);
            }
        }
        isolation = Optional.of(new Isolation.Against(threats));
    }

    /// The texts of a list; a single text counts as a list of one where `orOne` says so.
    private List<Yaml.Text> texts(Yaml value, boolean orOne) {
        var texts = new ArrayList<Yaml.Text>();
        if (value instanceof Yaml.Items(var items, _)) {
            items.forEach(item -> text(item, texts));
        } else if (value instanceof Yaml.Text text && (orOne || text.value().isEmpty())) {
            if (!text.value().isEmpty()) { // a key with nothing after it
                texts.add(text);
            }
        } else {
            problem(
                    value.source(),
                    "a list is needed, not " + value.describe(),
                    "begin each line with `- `");
        }
        return texts;
    }

    private void text(Yaml item, List<Yaml.Text> into) {
        if (item instanceof Yaml.Text text) {
            into.add(text);
        } else if (item instanceof Yaml.Fields(var fields, var source) && !fields.isEmpty()) {
            problem(
                    source,
                    "a rule is one text",
                    "write it without a space after the colon: `"
                            + Text.shown(fields.getFirst().key().value())
                            + ":...`");
        } else {
            problem(item.source(), "a text is needed, not " + item.describe(), "");
        }
    }

    private List<Yaml.Field> fields(Yaml value, String what) {
        return switch (value) {
            case Yaml.Fields(var fields, _) -> fields;
            case Yaml.Text text when text.value().isEmpty() -> List.of();
            case Yaml.Text _, Yaml.Items _ -> {
                problem(value.source(), what + " is a mapping, not " + value.describe(), "");
                yield List.of();
            }
        };
    }

    private void unknownKey(Yaml.Text key, List<String> known) {
        unknown(key.source(), "unknown key `" + Text.shown(key.value()) + "`", key.value(), known);
    }

    private void unknown(Source source, String message, String word, List<String> known) {
        String nearest = Nearest.suggestion(word, known);
        problem(
                source,
                message,
                nearest.isEmpty() ? "known are " + String.join(", ", known) : nearest);
    }

    private void problem(Source source, String message, String hint) {
        problems.add(new Problem(source, message, hint));
    }
}
