// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.policy.Canonical;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Lint;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.InvalidPolicyException;
import dev.writ.runtime.policy.Problem;
import dev.writ.trust.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Looks over a policy: every error at once, and what is probably not meant.
final class CheckVerb implements Verb {
    private static final Option STRICT = Option.flag("strict", "exit 1 if there are warnings");
    private static final Option CANONICAL =
            Option.flag("canonical", "print the canonical form that the digest is made of");

    @Override
    public Manual manual() {
        return new Manual(
                "check",
                "look over a policy: errors, warnings, digest",
                "[FLAGS] [FILE]",
                List.of(
                        "writ check",
                        "writ check ci/writ.yaml --strict",
                        "writ check --canonical | sha256sum"),
                PolicyOptions.and(STRICT, CANONICAL, Option.JSON));
    }

    @Override
    public int run(Arguments given, World world) {
        given.refuseCommand();
        var arguments = withFile(given);
        String place =
                PolicyOptions.file(arguments, world)
                        .map(f -> arguments.value(PolicyOptions.POLICY).orElse(world.place(f)))
                        .orElse("");
        try {
            return report(PolicyOptions.load(arguments, world), place, arguments, world);
        } catch (InvalidPolicyException e) {
            if (arguments.has(Option.JSON)) {
                world.out()
                        .println(
                                json(
                                        place,
                                        false,
                                        Map.of(),
                                        e.problems().stream().map(Problem::toString).toList(),
                                        List.of()));
            } else {
                e.problems().forEach(p -> world.err().println("writ: " + p));
            }
            return ExitCode.CANNOT_START;
        }
    }

    private static Arguments withFile(Arguments given) {
        if (given.words().isEmpty()) {
            return given;
        }
        if (given.words().size() > 1) {
            throw new UsageException("`writ check` takes one file");
        }
        var flags = new ArrayList<>(given.flags());
        flags.add(new Arguments.Given(PolicyOptions.POLICY, given.words().getFirst()));
        return new Arguments(flags, List.of(), List.of());
    }

    private static int report(Policy policy, String place, Arguments arguments, World world) {
        if (arguments.has(CANONICAL)) {
            world.out().print(Canonical.text(policy));
            return ExitCode.OK;
        }
        var warnings = Lint.warnings(policy);
        if (arguments.has(Option.JSON)) {
            var counts = new LinkedHashMap<String, Object>();
            for (var effect : Effect.values()) {
                counts.put(effect.word(), count(policy, effect));
            }
            counts.put("digest", "sha256:" + Canonical.digest(policy));
            world.out().println(json(place, true, counts, List.of(), warnings));
        } else {
            warnings.forEach(w -> world.out().println("warning: " + w));
            world.out().println(summary(policy, place, world.paint()));
        }
        return warnings.isEmpty() || !arguments.has(STRICT) ? ExitCode.OK : ExitCode.DIFFERENT;
    }

    private static String summary(Policy policy, String place, Paint paint) {
        String name = place.isEmpty() ? "no writ.yaml here; the default" : place;
        return String.format(
                "%s is valid: %d allow, %d ask, %d deny, %d guards%n%s",
                paint.bold(name),
                count(policy, Effect.ALLOW),
                count(policy, Effect.ASK),
                count(policy, Effect.DENY),
                policy.guards().size(),
                paint.dim("sha256:" + Canonical.digest(policy)));
    }

    private static long count(Policy policy, Effect effect) {
        return policy.rules().stream().filter(r -> r.effect() == effect).count();
    }

    private static String json(
            String place,
            boolean valid,
            Map<String, Object> counts,
            List<String> problems,
            List<String> warnings) {
        var map = new LinkedHashMap<String, Object>();
        map.put("policy", place);
        map.put("valid", valid);
        map.putAll(counts);
        map.put("problems", problems);
        map.put("warnings", warnings);
        return Json.write(map);
    }
}
