// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Kind;
import dev.writ.core.capability.Limit;
import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Isolation;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.SecretDefinition;
import dev.writ.core.policy.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Builds one policy from a file, what it extends, and flags. All or nothing: a problem anywhere,
/// and there is no policy.
public final class PolicyLoader {
    /// The name of a policy file.
    public static final String FILE_NAME = "writ.yaml";

    private static final int MOST_FILES = 64;

    private final Scope scope;
    private final List<FilePath> state;
    private final List<Problem> problems = new ArrayList<>();
    private final List<Rule> rules = new ArrayList<>();
    private final List<SecretDefinition> secrets = new ArrayList<>();
    private final Set<String> visited = new HashSet<>();
    private final List<FilePath> files = new ArrayList<>();
    private Optional<Isolation> isolation = Optional.empty();

    /// @param scope where `.`, `~` and program names are
    /// @param state Writ's own folders, which every policy guards
    public PolicyLoader(Scope scope, List<FilePath> state) {
        this.scope = scope;
        this.state = List.copyOf(state);
    }

    /// The policy file that governs `folder`: the nearest one upwards. One that belongs to somebody
    /// else does not govern anything: anybody can leave a file in `/tmp`. A pipe does not either:
    /// it may never end.
    ///
    /// @throws InvalidPolicyException if the nearest one belongs to a stranger or is no file
    public static Optional<Path> find(Path folder) {
        for (Path at = folder.toAbsolutePath().normalize(); at != null; at = at.getParent()) {
            var file = at.resolve(FILE_NAME);
            if (Files.exists(file)) {
                if (Owners.isStranger(file, folder)) {
                    throw unused(file, "belongs to somebody else");
                }
                if (!Files.isRegularFile(file) && !Files.isDirectory(file)) {
                    throw unused(file, "is not an ordinary file");
                }
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    private static InvalidPolicyException unused(Path file, String why) {
        return new InvalidPolicyException(
                List.of(
                        new Problem(
                                Source.of(file.toString()),
                                why + ", so it is not used by itself",
                                "name it if you trust it: `--policy " + file + "`")));
    }

    /// Adds the policy file at `file` and what it extends; `place` is what messages call it.
    public PolicyLoader file(Path file, String place) {
        var path = FilePath.of(file.toAbsolutePath().normalize().toString());
        files.add(path);
        if (!visited.add(path.toString())) {
            return this;
        }
        if (visited.size() > MOST_FILES) {
            problem(Source.of(place), "more than " + MOST_FILES + " files and profiles", "");
            return this;
        }
        read(file, place).ifPresent(text -> text(text, place, scope, Optional.of(file)));
        return this;
    }

    /// Guards `file` as if it were one of the policy files in use.
    public PolicyLoader guarding(Path file) {
        files.add(FilePath.of(file.toAbsolutePath().normalize().toString()));
        return this;
    }

    /// Adds a built-in profile.
    public PolicyLoader profile(String name, Source namedAt) {
        var text = Profiles.text(name);
        if (text.isEmpty()) {
            String nearest = Nearest.suggestion(name, Profiles.names());
            problem(
                    namedAt,
                    "unknown profile `" + Text.shown(name) + "`",
                    nearest.isEmpty()
                            ? "`writ profiles` lists them; a file needs a `/`: `./"
                                    + Text.shown(name)
                                    + "`"
                            : nearest);
        } else if (visited.add("profile " + name)) {
            text(text.get(), Profiles.place(name), scope, Optional.empty());
        }
        return this;
    }

    /// Adds a policy that is no file; `place` is what messages call it. It can build upon profiles.
    public PolicyLoader text(String text, String place) {
        text(text, place, scope, Optional.empty());
        return this;
    }

    /// Adds what holds where there is no policy file.
    public PolicyLoader byDefault() {
        text(DefaultPolicy.of(scope).text(), "default", scope, Optional.empty());
        return this;
    }

    /// Adds one rule, written in `folder`.
    public PolicyLoader rule(Effect effect, String capability, FilePath folder) {
        return rule(effect, capability, folder, Source.of("--" + effect.word()));
    }

    /// Adds one limit, such as `memory=2g`.
    public PolicyLoader limit(String written) {
        return rule(Effect.ALLOW, "limit:" + written, scope.base(), Source.of("--limit"));
    }

    private PolicyLoader rule(Effect effect, String capability, FilePath folder, Source source) {
        try {
            var parsed = Capability.parse(capability, scope.at(folder));
            if (effect != Effect.ALLOW && parsed instanceof Limit) {
                problem(source, "a limit cannot be asked for or denied", "use `--limit`");
            }
            rules.add(new Rule(effect, parsed, capability, source));
        } catch (SyntaxException e) {
            problem(
                    source,
                    "`"
                            + Text.shown(capability)
                            + "`, column "
                            + e.column()
                            + ": "
                            + e.getMessage(),
                    e.hint());
        }
        return this;
    }

    private void text(String text, String place, Scope at, Optional<Path> file) {
        var policy =
                file.isPresent()
                        ? PolicyText.read(text, place, at, problems)
                        : PolicyText.readProfile(text, place, at, problems);
        rules.addAll(policy.rules());
        policy.secrets().forEach(this::secret);
        if (isolation.isEmpty()) {
            isolation = policy.isolation();
        }
        for (var parent : policy.parents()) {
            if (isFile(parent.name()) && file.isPresent()) {
                extend(file.get(), parent);
            } else {
                profile(parent.name(), parent.source());
            }
        }
    }

    private static boolean isFile(String name) {
        return name.indexOf('/') >= 0 || name.endsWith(".yaml") || name.endsWith(".yml");
    }

    /// A file that another one extends. Its `.` is its own folder, seen from where the other one is
    /// taken to stand.
    private void extend(Path child, PolicyText.Extends parent) {
        var name = parent.name();
        var folder = FilePath.of(child.toAbsolutePath().normalize().toString()).parent();
        boolean home = name.startsWith("~/");
        var path = home ? scope.home().resolve(name.substring(2)) : resolve(folder, name);
        var standsAt = home ? path : resolve(scope.base(), name);
        var file = Path.of(path.toString());
        if (!Files.exists(file)) {
            problem(
                    parent.source(),
                    "no such policy: `" + Text.shown(parent.name()) + "`",
                    "a profile is named without `/` and `.yaml`");
            return;
        }
        var there = new PolicyLoader(scope.at(standsAt.parent()), state);
        there.visited.addAll(visited);
        there.file(file, file.toString());
        visited.addAll(there.visited);
        problems.addAll(there.problems);
        rules.addAll(there.rules);
        there.secrets.forEach(this::secret);
        files.addAll(there.files);
        isolation = isolation.or(() -> there.isolation);
    }

    private static FilePath resolve(FilePath folder, String name) {
        return name.startsWith("/") ? FilePath.of(name) : folder.resolve(name);
    }

    private void secret(SecretDefinition secret) {
        if (secrets.stream().anyMatch(s -> s.name().equals(secret.name()) && !s.equals(secret))) {
            problem(
                    Source.of("secrets"),
                    "the secret `" + secret.name() + "` is defined twice",
                    "give one of them another name");
        }
        secrets.add(secret);
    }

    private Optional<String> read(Path file, String place) {
        try {
            if (Files.isDirectory(file)) {
                problem(Source.of(place), "is a folder, not a policy", "");
                return Optional.empty();
            }
            // A policy may come through a pipe, so its size is not asked for first.
            try (var in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(4 * YamlReader.MOST_CHARACTERS + 1);
                return Optional.of(
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .decode(ByteBuffer.wrap(bytes))
                                .toString());
            }
        } catch (CharacterCodingException e) {
            problem(Source.of(place), "is not UTF-8 text", "");
        } catch (NoSuchFileException e) {
            problem(Source.of(place), "no such file", "");
        } catch (IOException e) {
            problem(Source.of(place), "cannot be read: " + Reason.of(e), "");
        }
        return Optional.empty();
    }

    private void problem(Source source, String message, String hint) {
        problems.add(new Problem(source, message, hint));
    }

    /// The policy, with guards, and with the names that links lead to.
    ///
    /// @throws InvalidPolicyException if anything in it is wrong
    public Policy load() {
        var links = new Links();
        refuseOwnFolders(links);
        if (!problems.isEmpty()) {
            throw new InvalidPolicyException(problems);
        }
        var guards = guards();
        var plain = new AtomicReference<@Nullable Policy>();
        Supplier<Policy> beforeLinks =
                () ->
                        plain.updateAndGet(
                                p ->
                                        p == null
                                                ? Policy.of(
                                                        scope, onWriting(rules), onWriting(guards))
                                                : p);
        var writable = writableProgramFolders(beforeLinks);
        return Policy.of(
                new Scope(
                        scope.base(),
                        scope.home(),
                        scope.programs().stream().filter(f -> !writable.contains(f)).toList()),
                withoutProgramsIn(writable),
                guards,
                secrets.stream().distinct().toList(),
                isolation.orElse(new Isolation.Auto()),
                rule ->
                        rule.capability()
                                .throughLinks(path -> resolve(path, rule, links, beforeLinks)));
    }

    /// Nobody gives an agent the daemon that answers for it, its keys or its secrets. The guard
    /// keeps from that where a rule is broad; one that names what lies there would beat the guard,
    /// also as `.` in a folder of ours.
    private void refuseOwnFolders(Links links) {
        var own = new ArrayList<>(state);
        state.forEach(folder -> own.add(links.resolve(folder)));
        Predicate<FilePath> isOwn = path -> own.stream().anyMatch(path::startsWith);
        for (var rule : rules) {
            if (rule.effect() != Effect.DENY
                    && named(rule.capability())
                            .filter(p -> isOwn.test(p) || isOwn.test(links.resolve(p)))
                            .isPresent()) {
                problem(
                        rule.source(),
                        "`" + Text.shown(rule.written()) + "` would lead to Writ itself",
                        "remove it, or work in another folder: an agent must not get at what Writ"
                                + " keeps");
            }
        }
    }

    private static Optional<FilePath> named(Capability capability) {
        // No switch over types: each start would link it anew, which takes 3 ms.
        if (capability instanceof Capability.Read read) {
            return Optional.of(read.path().prefix());
        }
        if (capability instanceof Capability.Write write) {
            return Optional.of(write.path().prefix());
        }
        return capability instanceof Capability.Unix unix
                ? Optional.of(unix.path().prefix())
                : Optional.empty();
    }

    /// What is asked before links are followed is what may be written.
    private static List<Rule> onWriting(List<Rule> some) {
        return some.stream().filter(r -> r.capability().kind() == Kind.WRITE).toList();
    }

    /// The folders of `PATH` that the policy lets the agent write to. A name must not stand for
    /// whatever the agent puts there.
    private Set<FilePath> writableProgramFolders(Supplier<Policy> policy) {
        var written =
                rules.stream()
                        .filter(r -> r.effect() != Effect.DENY)
                        .map(Rule::capability)
                        .filter(Capability.Write.class::isInstance)
                        .map(c -> ((Capability.Write) c).path().prefix())
                        .toList();
        return scope.programs().stream()
                .filter(f -> written.stream().anyMatch(w -> w.startsWith(f) || f.startsWith(w)))
                .filter(
                        f ->
                                !(policy.get().decide(new Action.WriteFile(f.resolve("program")))
                                        instanceof Decision.Deny))
                .collect(Collectors.toSet());
    }

    /// A deny means a name wherever such a file lies, so it stays as it is.
    private List<Rule> withoutProgramsIn(Set<FilePath> folders) {
        return folders.isEmpty()
                ? rules
                : rules.stream()
                        .map(
                                r ->
                                        r.effect() == Effect.DENY
                                                ? r
                                                : new Rule(
                                                        r.effect(),
                                                        r.capability().withoutProgramsIn(folders),
                                                        r.written(),
                                                        r.source()))
                        .toList();
    }

    /// The built-in guards, and those for the policy files in use and Writ's own folders.
    private List<Rule> guards() {
        var found = new ArrayList<Problem>();
        var text = Profiles.text(Profiles.GUARDS).orElseThrow();
        var guards =
                new ArrayList<>(
                        PolicyText.readProfile(text, Profiles.place(Profiles.GUARDS), scope, found)
                                .rules());
        if (!found.isEmpty()) {
            throw new InvalidPolicyException(found);
        }
        files.forEach(file -> guards.add(ownGuard(Capability.write(file))));
        for (var folder : state) {
            guards.add(ownGuard(Capability.write(folder)));
            guards.add(ownGuard(Capability.read(folder)));
            guards.add(ownGuard(Capability.unix(folder)));
        }
        return guards;
    }

    private Rule ownGuard(Capability capability) {
        return new Rule(Effect.DENY, capability, capability.text(scope), Source.of("built-in"));
    }

    /// A deny follows every link; what grants follows only those that the agent cannot have made.
    private static FilePath resolve(
            FilePath path, Rule rule, Links links, Supplier<Policy> beforeLinks) {
        return rule.effect() == Effect.DENY
                ? links.resolve(path)
                : links.resolveTrusted(path, beforeLinks);
    }
}
