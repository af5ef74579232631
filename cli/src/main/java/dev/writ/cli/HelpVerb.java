// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Shows how things are used. Every page fits a screen.
final class HelpVerb implements Verb {
    /// Verbs that few need often: the overview names them, and their own pages say the rest.
    private static final Set<String> SELDOM =
            Set.of(
                    "approve",
                    "refuse",
                    "attest",
                    "keys",
                    "proxy",
                    "down",
                    "status",
                    "version",
                    "completions");

    @Override
    public Manual manual() {
        return new Manual(
                "help",
                "show this, or how a verb is used",
                "[VERB]",
                List.of("writ help", "writ help explain"),
                List.of());
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        if (arguments.words().size() > 1) {
            throw new UsageException("help takes one verb");
        }
        world.out()
                .print(
                        arguments.words().isEmpty()
                                ? overview(world.paint())
                                : page(Cli.verb(arguments.words().getFirst()), world.paint()));
        return ExitCode.OK;
    }

    private static String overview(Paint paint) {
        var out = new StringBuilder();
        out.append("Writ says what an AI agent may do on this machine, and nothing more.\n\n");
        out.append(paint.bold("Try")).append("\n");
        out.append("  writ run -- ls                    run a command, confined to this folder\n");
        out.append("  writ explain read:~/.ssh/id_rsa   who decides, and why\n");
        out.append(paint.bold("Verbs")).append("\n");
        var seldom = new ArrayList<String>();
        for (var verb : Cli.verbs()) {
            if (SELDOM.contains(verb.name())) {
                seldom.add(verb.name());
            } else {
                out.append(String.format("  %-12s %s%n", verb.name(), verb.manual().purpose()));
            }
        }
        out.append("  also ").append(String.join(", ", seldom)).append("\n");
        return out.append(
                        "`writ help VERB` says more. Exit: 125 cannot start, 126 denied, 127 not found.\n")
                .toString();
    }

    static String page(Verb verb, Paint paint) {
        var out = new StringBuilder();
        verb.manual().examples().forEach(example -> out.append("  ").append(example).append('\n'));
        out.append('\n')
                .append(paint.bold("writ " + verb.name() + " " + verb.manual().usage()))
                .append("\n");
        out.append("  ").append(verb.manual().purpose()).append("\n");
        if (!verb.manual().options().isEmpty()) {
            out.append('\n');
            verb.manual()
                    .options()
                    .forEach(
                            o -> out.append(String.format("  %-18s %s%n", o.usage(), o.purpose())));
        }
        return out.toString();
    }
}
