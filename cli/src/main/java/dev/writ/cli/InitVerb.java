// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.runtime.policy.DefaultPolicy;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.trust.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;

/// Writes down the policy that holds here without one.
final class InitVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "init",
                "write the default policy of this folder to writ.yaml",
                "[--json]",
                List.of("writ init", "writ init && writ check"),
                List.of(Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        if (!arguments.words().isEmpty()) {
            throw new UsageException("`writ init` takes no words; it writes to `./writ.yaml`");
        }
        PolicyLoader.find(world.folder()).ifPresent(file -> refuse(file, world));
        var policy = DefaultPolicy.of(world.config().scope(world.config().folder()));
        if (!policy.danger().isEmpty()) {
            throw new UsageException(
                    "`"
                            + Text.shown(world.folder().toString())
                            + "` "
                            + policy.danger()
                            + ", and a policy there would hold for everything in it; go to the folder of a project");
        }
        write(policy.text(), world);
        if (arguments.has(Option.JSON)) {
            var map = new LinkedHashMap<String, Object>();
            map.put("file", PolicyLoader.FILE_NAME);
            map.put("text", policy.text());
            world.out().println(Json.write(map));
        } else {
            world.out().println(world.paint().dim("wrote " + PolicyLoader.FILE_NAME + ":"));
            world.out().print(policy.text());
        }
        return ExitCode.OK;
    }

    private static void refuse(Path file, World world) {
        String name = Text.shown(world.place(file));
        throw new UsageException(
                "there is a policy already: `"
                        + name
                        + "`; "
                        + (world.folder().equals(file.getParent())
                                ? "edit it"
                                : "to have one here that adds to it, begin with `extends: ["
                                        + name
                                        + "]`"));
    }

    private static void write(String text, World world) {
        var file = world.folder().resolve(PolicyLoader.FILE_NAME);
        try {
            Files.writeString(file, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UsageException(
                    "cannot write `" + Text.shown(file.toString()) + "`: " + Reason.of(e));
        }
    }
}
