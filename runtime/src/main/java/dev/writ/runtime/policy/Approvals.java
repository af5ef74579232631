// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.core.digest.Sha256;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// What the operator has approved for good, for one policy: a file of `allow` rules among Writ's
/// own state, where no sandbox can write. Each line stands for exactly one action. It is no part of
/// the policy: it answers a question that the policy asks, so that a deny still holds.
///
/// May be used from several threads.
public final class Approvals {
    private static final String SUFFIX = ".yaml";
    private static final String TITLE = "# Remembered approvals for ";
    private static final String NOTES =
            """
            # Each line answers one exact question with yes, as long as the policy asks it; a deny still denies.
            # `writ approvals` lists them, `writ approvals --forget N` removes one. Comments other than these are not kept.
            version: 1
            allow:
            """;
    private static final int MOST = 1000;
    private static final int LONGEST_NAME = 40;

    /// What needs no quotes. Nothing is grouped and repeated: a command may have 100,000 words, and
    /// each would take a piece of the stack.
    private static final Pattern PLAIN =
            Pattern.compile("[a-z]+:(?! )[A-Za-z0-9/._~=+@%, -]*[A-Za-z0-9/._~=+@%,-]");

    /// One of them.
    ///
    /// @param rule the action as it is written
    /// @param given when and by whom, as it is noted there
    public record Approval(Action action, String rule, String given, Source source) {}

    private final PrivateFolder folder;
    private final String name;
    private final String policy;
    private final Scope scope;
    private List<Approval> approvals;

    private Approvals(PrivateFolder folder, String name, String policy, Scope scope) {
        this.folder = folder;
        this.name = name;
        this.policy = policy;
        this.scope = scope;
        this.approvals = load();
    }

    /// Those for one policy.
    ///
    /// @param state where Writ keeps what it remembers
    /// @param policy its file; without one the folder that it is for
    /// @throws InvalidPolicyException if what is remembered cannot be believed or understood
    public static Approvals of(FilePath state, Path policy, Scope scope) {
        String path = policy.toAbsolutePath().normalize().toString();
        return new Approvals(folder(state), name(path), path, scope);
    }

    /// All there are, policy by policy.
    public static List<Approvals> all(FilePath state, Scope scope) {
        var folder = folder(state);
        try {
            var all = new ArrayList<Approvals>();
            for (var name : folder.names(SUFFIX)) {
                all.add(new Approvals(folder, name, policy(folder, name), scope));
            }
            return all;
        } catch (IOException e) {
            throw invalid(Source.of(folder.file("").toString()), e);
        }
    }

    private static PrivateFolder folder(FilePath state) {
        return new PrivateFolder(Path.of(state.resolve("approvals").toString()));
    }

    /// A name that a person can place, and that belongs to this path alone.
    private static String name(String path) {
        String last = path.replaceFirst("/" + Pattern.quote(PolicyLoader.FILE_NAME) + "$", "");
        last = last.substring(last.lastIndexOf('/') + 1).replaceAll("[^A-Za-z0-9_-]", "");
        return last.substring(0, Math.min(last.length(), LONGEST_NAME))
                + "-"
                + Sha256.hex(path).substring(0, 16)
                + SUFFIX;
    }

    /// Which policy the file `name` says it is for.
    private static String policy(PrivateFolder folder, String name) throws IOException {
        return folder.read(name)
                .flatMap(text -> text.lines().findFirst())
                .filter(line -> line.startsWith(TITLE))
                .map(line -> line.substring(TITLE.length()))
                .orElse("");
    }

    /// The file or folder that they are for.
    public String policy() {
        return policy;
    }

    /// Where they are kept.
    public Path file() {
        return folder.file(name);
    }

    public synchronized List<Approval> list() {
        return List.copyOf(approvals);
    }

    /// The one for exactly `action`.
    public synchronized Optional<Approval> find(Action action) {
        return approvals.stream().filter(a -> a.action().equals(action)).findFirst();
    }

    /// The line that would be remembered for `action`; nothing if no line stands for it alone, or
    /// it would not look like what it is.
    public Optional<String> rule(Action action) {
        String rule = action.text(Scope.SPELLED_OUT);
        if (!Text.shown(rule).equals(rule)) {
            return Optional.empty();
        }
        try {
            var one = new Approval(action, rule, "", Source.of(""));
            return parse(render(List.of(one))).equals(List.of(one.action()))
                    ? Optional.of(rule)
                    : Optional.empty();
        } catch (InvalidPolicyException e) {
            return Optional.empty();
        }
    }

    private List<Action> parse(String text) {
        return read(text).stream().map(Approval::action).toList();
    }

    /// Remembers `action`, as [#rule] spells it, and gives what is remembered now.
    ///
    /// @throws UncheckedIOException if it cannot be kept
    public synchronized Approval add(Action action, String by, Instant at) {
        String rule = rule(action).orElseThrow();
        String given = at.truncatedTo(ChronoUnit.SECONDS) + " " + by;
        change(
                all -> {
                    if (all.size() >= MOST) {
                        String full = "there are " + MOST + " approvals already";
                        throw new UncheckedIOException(full, new IOException(full));
                    }
                    all.removeIf(a -> a.action().equals(action));
                    all.add(new Approval(action, rule, Text.shown(given), Source.of("")));
                });
        return find(action).orElseThrow();
    }

    /// Forgets some.
    ///
    /// @throws UncheckedIOException if that cannot be kept
    public synchronized void forget(List<Approval> some) {
        var actions = some.stream().map(Approval::action).toList();
        change(all -> all.removeIf(a -> actions.contains(a.action())));
    }

    private interface Change {
        void on(List<Approval> all);
    }

    private void change(Change change) {
        try {
            approvals =
                    folder.alone(
                            () -> {
                                var all = new ArrayList<>(load()); // others may have changed it
                                change.on(all);
                                if (all.isEmpty()) {
                                    folder.remove(name);
                                } else {
                                    folder.replace(name, render(all));
                                }
                                return load();
                            });
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private String render(List<Approval> all) {
        var out = new StringBuilder(TITLE).append(Text.shown(policy)).append('\n').append(NOTES);
        for (var approval : all) {
            String rule = approval.rule();
            out.append("  - ").append(PLAIN.matcher(rule).matches() ? rule : quoted(rule));
            out.append(approval.given().isEmpty() ? "" : "  # " + approval.given()).append('\n');
        }
        return out.toString();
    }

    private static String quoted(String rule) {
        return "'" + rule.replace("'", "''") + "'";
    }

    private List<Approval> load() {
        try {
            return folder.read(name).map(this::read).orElse(List.of());
        } catch (IOException e) {
            throw invalid(Source.of(file().toString()), e);
        }
    }

    private static InvalidPolicyException invalid(Source source, IOException e) {
        String place = source.place() + ": ";
        String message = String.valueOf(e.getMessage());
        return new InvalidPolicyException(
                List.of(
                        new Problem(
                                source,
                                message.startsWith(place)
                                        ? message.substring(place.length())
                                        : message,
                                "what is remembered there is not used")));
    }

    private List<Approval> read(String text) {
        var problems = new ArrayList<Problem>();
        var file = PolicyText.read(text, file().toString(), scope, problems);
        if (!file.hasRulesOnly()) {
            problems.add(
                    new Problem(
                            Source.of(file().toString()),
                            "only `allow` can stand here",
                            "remove the rest"));
        }
        var lines = text.lines().toList();
        var found = new ArrayList<Approval>();
        for (var rule : file.rules()) {
            if (rule.effect() != Effect.ALLOW) {
                problems.add(
                        new Problem(
                                rule.source(),
                                "only `allow` can stand here",
                                "move it to the policy"));
                continue;
            }
            try {
                found.add(
                        new Approval(
                                Action.parse(rule.written(), scope),
                                rule.written(),
                                given(lines.get(rule.source().line() - 1)),
                                rule.source()));
            } catch (SyntaxException e) {
                problems.add(
                        new Problem(
                                rule.source(),
                                "an approval is for one exact action: " + e.getMessage(),
                                "move it to the policy"));
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidPolicyException(problems);
        }
        return List.copyOf(found);
    }

    private static String given(String line) {
        int comment = line.lastIndexOf("  # ");
        return comment < 0 ? "" : line.substring(comment + 4).strip();
    }
}
