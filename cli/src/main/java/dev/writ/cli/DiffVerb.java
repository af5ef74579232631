// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Diff;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.runtime.policy.Profiles;
import dev.writ.trust.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Says what one policy grants beyond another, with a witness for each.
final class DiffVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "diff",
                "does B grant anything that A does not, with a witness",
                "[--json] A B",
                List.of(
                        "writ diff writ.yaml proposed.yaml",
                        "git show HEAD:writ.yaml | writ diff /dev/stdin writ.yaml",
                        "writ diff base python             # profiles work, too"),
                List.of(Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        if (arguments.words().size() != 2) {
            throw new UsageException("two policies are needed: `writ diff A B`");
        }
        String a = arguments.words().getFirst();
        String b = arguments.words().getLast();
        var diff = Diff.between(load(a, a, b, world), load(b, a, b, world));
        if (arguments.has(Option.JSON)) {
            world.out().println(json(diff, world));
        } else {
            print(diff, a, b, world);
        }
        return diff.isEmpty() ? ExitCode.OK : ExitCode.DIFFERENT;
    }

    /// Reads a policy as if it stood where `b` stands, so that two versions of one policy can be
    /// compared wherever they lie. Both are guarded in both.
    private static Policy load(String name, String a, String b, World world) {
        var config = world.config();
        var base = isProfile(b) ? config.folder() : FilePath.of(path(b, world).toString()).parent();
        var loader = new PolicyLoader(config.scope(base), config.ownFolders());
        for (var file : List.of(a, b)) {
            if (!isProfile(file)) {
                loader.guarding(path(file, world));
            }
        }
        return isProfile(name)
                ? loader.profile(name, Source.of(name)).load()
                : loader.file(path(name, world), name).load();
    }

    private static Path path(String name, World world) {
        return PolicyOptions.path(name, world).toAbsolutePath().normalize();
    }

    private static boolean isProfile(String name) {
        return Profiles.names().contains(name);
    }

    private static void print(Diff diff, String a, String b, World world) {
        var paint = world.paint();
        if (diff.isEmpty()) {
            world.out()
                    .println(
                            "nothing is widened: " + b + " grants nothing that " + a + " does not");
            return;
        }
        world.out().println(paint.bold(b + " grants more than " + a + ":"));
        for (var widening : diff.widenings()) {
            var scope = world.config().scope(world.config().folder());
            world.out()
                    .println(
                            "  "
                                    + paint.decision(widening.before().word())
                                    + " -> "
                                    + paint.decision(widening.after().word())
                                    + " "
                                    + widening.rule());
            world.out()
                    .println(
                            paint.dim("                  for example ")
                                    + Text.shown(widening.witness().text(scope)));
        }
        if (diff.weakerIsolation()) {
            world.out().println("  isolation is weaker");
        }
    }

    private static String json(Diff diff, World world) {
        var scope = world.config().scope(world.config().folder());
        var map = new LinkedHashMap<String, Object>();
        map.put("widened", !diff.isEmpty());
        map.put(
                "widenings",
                diff.widenings().stream()
                        .map(
                                w -> {
                                    Map<String, Object> widening = new LinkedHashMap<>();
                                    widening.put("rule", w.rule().written());
                                    widening.put("source", w.rule().source().toString());
                                    widening.put("witness", w.witness().text(scope));
                                    widening.put("before", w.before().word());
                                    widening.put("after", w.after().word());
                                    return widening;
                                })
                        .toList());
        map.put("weaker_isolation", diff.weakerIsolation());
        return Json.write(map);
    }
}
