// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.trust.Json;
import dev.writ.trust.file.WholeFile;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Gives a link to the console, and opens it where there is a screen.
final class ConsoleVerb implements Verb {
    private static final Option LINK = Option.flag("link", "print the link, and open nothing");
    private static final String OPENER = "xdg-open";

    @Override
    public Manual manual() {
        return new Manual(
                "console",
                "look at sessions and answer questions in a browser",
                "[--link] [--json]",
                List.of("writ console", "writ console --link"),
                List.of(LINK, Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        if (DaemonState.of(world).isEmpty()) {
            throw new UsageException("no daemon runs; `writ up` starts one");
        }
        try {
            String link = link(world);
            if (arguments.has(Option.JSON)) {
                world.out().println(Json.write(Map.of("url", link)));
                return ExitCode.OK;
            }
            world.out().println(link);
            world.out().println(world.paint().dim("good once, for two minutes"));
            if (!arguments.has(LINK)) {
                open(link, world);
            }
            return ExitCode.OK;
        } catch (IOException e) {
            throw new UsageException("the daemon cannot be reached: " + e.getMessage());
        }
    }

    private static String link(World world) throws IOException {
        String secret = new Questions(world).secret();
        try (var client = DaemonState.connect(world)) {
            var answer = client.with("writ-approver", secret).ask("POST", "/v1/console", "{}");
            if (answer.status() == 201 && answer.json() instanceof Map<?, ?> map) {
                return String.valueOf(map.get("url"));
            }
            throw new UsageException(Questions.detail(answer));
        }
    }

    /// Every user of the machine can see the words of a command, so the browser is led through a
    /// file that only the operator can read.
    private static void open(String link, World world) throws IOException {
        var variables = world.variables();
        boolean screen =
                variables.containsKey("DISPLAY") || variables.containsKey("WAYLAND_DISPLAY");
        var opener = opener(variables.getOrDefault("PATH", ""));
        if (!screen || opener.isEmpty()) {
            return;
        }
        var file = Path.of(world.config().state().toString()).resolve("console.html");
        String page =
                "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url="
                        + link
                        + "\"><title>Writ</title>\n";
        WholeFile.replaceSecretly(file, page.getBytes(UTF_8));
        new ProcessBuilder(opener.get().toString(), file.toUri().toString())
                .redirectInput(Redirect.from(new File("/dev/null")))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }

    private static Optional<Path> opener(String path) {
        return List.of(path.split(File.pathSeparator)).stream()
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder, OPENER))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
