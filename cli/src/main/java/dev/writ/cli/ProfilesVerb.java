// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Text;
import dev.writ.runtime.policy.Profiles;
import dev.writ.trust.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Lists and shows the built-in profiles.
final class ProfilesVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "profiles",
                "list the built-in profiles, or show one",
                "[--json] [show NAME]",
                List.of(
                        "writ profiles",
                        "writ profiles show python",
                        "writ profiles show guards         # what every policy protects"),
                List.of(Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var words = arguments.words();
        if (words.isEmpty()) {
            list(arguments.has(Option.JSON), world);
        } else if (words.size() == 2 && words.getFirst().equals("show")) {
            show(words.getLast(), arguments.has(Option.JSON), world);
        } else {
            throw new UsageException("use `writ profiles` or `writ profiles show NAME`");
        }
        return ExitCode.OK;
    }

    private static void list(boolean json, World world) {
        for (var name : Profiles.names()) {
            if (json) {
                world.out().println(Json.write(describe(name)));
            } else {
                String purpose = Profiles.purpose(name).split("\\. ")[0].replaceFirst("\\.$", "");
                world.out()
                        .println(world.paint().bold(String.format("%-12s", name)) + " " + purpose);
            }
        }
    }

    private static Map<String, Object> describe(String name) {
        var map = new LinkedHashMap<String, Object>();
        map.put("name", name);
        map.put("purpose", Profiles.purpose(name));
        return map;
    }

    private static void show(String name, boolean json, World world) {
        var text =
                Profiles.text(name)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "unknown profile `"
                                                        + Text.shown(name)
                                                        + "`; "
                                                        + hint(name)));
        if (json) {
            var map = describe(name);
            map.put("text", text);
            world.out().println(Json.write(map));
        } else {
            world.out().print(text);
        }
    }

    private static String hint(String name) {
        String nearest = Nearest.suggestion(name, Profiles.names());
        return nearest.isEmpty() ? "`writ profiles` lists them" : nearest;
    }
}
