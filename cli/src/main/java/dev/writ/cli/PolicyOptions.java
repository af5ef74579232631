// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Text;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.runtime.FolderPolicy;
import dev.writ.runtime.policy.DefaultPolicy;
import dev.writ.runtime.policy.PolicyLoader;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The flags that choose a policy, the same for every verb that needs one.
final class PolicyOptions {
    static final Option POLICY =
            new Option("policy", "FILE", "use this policy instead of the nearest writ.yaml");
    static final Option NO_POLICY =
            Option.flag("no-policy", "start from nothing: only the flags count");
    static final Option PROFILE = new Option("profile", "NAME", "build upon this profile, too");
    static final Option ALLOW = new Option("allow", "CAP", "allow this as well");
    static final Option ASK = new Option("ask", "CAP", "ask about this");
    static final Option DENY = new Option("deny", "CAP", "deny this");
    static final Option LIMIT =
            new Option("limit", "NAME=AMOUNT", "no more than this: memory=2g, time=10m, procs=64");
    static final List<Option> ALL = List.of(POLICY, NO_POLICY, PROFILE, ALLOW, ASK, DENY, LIMIT);

    private static final List<Option> RULES = List.of(PROFILE, ALLOW, ASK, DENY, LIMIT);

    private PolicyOptions() {}

    /// These flags, and `more`.
    static List<Option> and(Option... more) {
        return Stream.concat(ALL.stream(), Stream.of(more)).toList();
    }

    /// The policy that `arguments` ask for: that file, the nearest one, or the default for a folder
    /// without one.
    static Policy load(Arguments arguments, World world) {
        var file = file(arguments, world);
        var config = world.config();
        var folder = config.folder();
        var loader = FolderPolicy.loader(config, folder, file);
        file.ifPresent(f -> loader.file(f, arguments.value(POLICY).orElse(world.place(f))));
        for (var flag : arguments.flags()) {
            switch (flag.option().name()) {
                case "allow" -> loader.rule(Effect.ALLOW, flag.value(), folder);
                case "ask" -> loader.rule(Effect.ASK, flag.value(), folder);
                case "deny" -> loader.rule(Effect.DENY, flag.value(), folder);
                case "limit" -> loader.limit(flag.value());
                case "profile" -> loader.profile(flag.value(), Source.of("--profile"));
                default -> {}
            }
        }
        if (file.isEmpty() && !arguments.has(NO_POLICY)) {
            loader.byDefault();
        }
        return loader.load();
    }

    /// What to tell an operator who has written no policy; nothing if there is one.
    static Optional<String> notice(Arguments arguments, World world) {
        if (arguments.has(NO_POLICY) || file(arguments, world).isPresent()) {
            return Optional.empty();
        }
        var config = world.config();
        var policy = DefaultPolicy.of(config.scope(config.folder()));
        return Optional.of(
                policy.danger().isEmpty()
                        ? "no policy here, so the default holds: write below this folder, no network ("
                                + String.join(", ", policy.profiles())
                                + "); `writ init` keeps it"
                        : "no policy here, and `"
                                + Text.shown(config.folder().toString())
                                + "` "
                                + policy.danger()
                                + ", so the default gives no right to it: only installed programs run;"
                                + " go to the folder of a project, or use `--allow`");
    }

    /// The policy file in use, if there is one. Where the policy comes from, for the record.
    static String source(Arguments arguments, World world) {
        String base =
                file(arguments, world)
                        .map(f -> f.toAbsolutePath().normalize().toString())
                        .orElse(arguments.has(NO_POLICY) ? "no file" : "the default");
        boolean flags = arguments.flags().stream().anyMatch(f -> RULES.contains(f.option()));
        return flags ? base + ", with flags" : base;
    }

    static Optional<Path> file(Arguments arguments, World world) {
        if (arguments.has(NO_POLICY)) {
            if (arguments.has(POLICY)) {
                throw new UsageException("`--policy` and `--no-policy` exclude each other");
            }
            return Optional.empty();
        }
        return arguments
                .value(POLICY)
                .map(name -> path(name, world))
                .or(() -> PolicyLoader.find(world.folder()));
    }

    static Path path(String name, World world) {
        try {
            return world.folder().resolve(name);
        } catch (InvalidPathException e) {
            throw new UsageException("not a file name: `" + name + "`");
        }
    }
}
