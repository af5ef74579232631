// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Text;
import dev.writ.runtime.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/// Runs a command under a policy.
final class RunVerb implements Verb {
    private static final Option CWD = new Option("cwd", "DIR", "start the command in this folder");

    @Override
    public Manual manual() {
        return new Manual(
                "run",
                "run a command under the policy of this folder",
                "[FLAGS] -- COMMAND [ARGUMENT...]",
                List.of(
                        "writ run -- ls -l",
                        "writ run --profile python -- pytest",
                        "writ run --deny exec:curl --ask 'exec:git push' -- ./agent.sh"),
                PolicyOptions.and(CWD));
    }

    @Override
    public int run(Arguments arguments, World world) {
        if (arguments.command().isEmpty() || !arguments.words().isEmpty()) {
            throw new UsageException("the command goes after `--`: `writ run -- ls -l`");
        }
        var folder =
                arguments.value(CWD).map(d -> PolicyOptions.path(d, world)).orElse(world.folder());
        if (!Files.isDirectory(folder)) {
            throw new UsageException("no such folder: `" + Text.shown(folder.toString()) + "`");
        }
        var run = new Run(PolicyOptions.load(arguments, world), folder, world.variables());
        var program = run.find(arguments.command().getFirst());
        if (program.isEmpty()) {
            world.err()
                    .println(
                            "writ: command not found: `"
                                    + Text.shown(arguments.command().getFirst())
                                    + "`");
            return ExitCode.NOT_FOUND;
        }
        var command = arguments.command();
        return switch (run.judge(program.get(), command.subList(1, command.size()))) {
            case Verdict.Refused(var reason) -> {
                String hint = reason.hint().isEmpty() ? "" : "; to change that: " + reason.hint();
                world.err()
                        .println(
                                "writ: denied: `"
                                        + Text.shown(String.join(" ", command))
                                        + "`: "
                                        + reason.sentence()
                                        + hint);
                yield ExitCode.DENIED;
            }
            case Verdict.Permitted _ -> start(run, command, world);
        };
    }

    private static int start(Run run, List<String> command, World world) {
        world.err()
                .println(
                        "writ: warning: this version judges how a command starts but does not yet confine what it does");
        world.err().flush();
        try {
            return run.start(command);
        } catch (IOException e) {
            throw new UsageException(
                    "could not start `" + Text.shown(command.getFirst()) + "`: " + e.getMessage());
        }
    }
}
