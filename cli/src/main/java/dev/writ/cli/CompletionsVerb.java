// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.runtime.policy.Profiles;
import java.util.List;
import java.util.stream.Collectors;

/// Prints completions for a shell, made from the same tables as the help.
final class CompletionsVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "completions",
                "print completions for bash, zsh or fish",
                "bash|zsh|fish",
                List.of(
                        "source <(writ completions bash)                             # in ~/.bashrc",
                        "writ completions zsh > ~/.zfunc/_writ",
                        "writ completions fish > ~/.config/fish/completions/writ.fish"),
                List.of());
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        world.out()
                .print(script(arguments.words().size() == 1 ? arguments.words().getFirst() : ""));
        return ExitCode.OK;
    }

    private static String script(String shell) {
        return switch (shell) {
            case "bash" -> bash();
            case "zsh" -> zsh();
            case "fish" -> fish();
            default ->
                    throw new UsageException(
                            "name the shell: `writ completions bash`, `zsh` or `fish`");
        };
    }

    private static String names() {
        return Cli.verbs().stream().map(Verb::name).collect(Collectors.joining(" "));
    }

    private static String flags(Verb verb) {
        return verb.manual().options().stream()
                .map(o -> "--" + o.name())
                .collect(Collectors.joining(" "));
    }

    private static String bash() {
        var out =
                new StringBuilder(
                        "_writ() {\n    local words= cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n");
        out.append("    case $prev in\n");
        out.append("        --profile|show) words='")
                .append(String.join(" ", Profiles.names()))
                .append("' ;;\n");
        out.append("        help) words='").append(names()).append("' ;;\n");
        out.append("        completions) words='bash zsh fish' ;;\n");
        out.append("        profiles) words='show --json' ;;\n");
        out.append("        log) words='last verify prove check export anchor ");
        out.append(flags(Cli.verb("log"))).append("' ;;\n");
        out.append("        attest) words='show verify' ;;\n");
        out.append("        keys) words='export rotate --json' ;;\n");
        out.append("        token) words='mint narrow show verify revoke holder --json' ;;\n");
        out.append("        *) if [ \"$COMP_CWORD\" -eq 1 ]; then words='")
                .append(names())
                .append("'; else case ${COMP_WORDS[1]} in\n");
        for (var verb : Cli.verbs()) {
            out.append("            ")
                    .append(verb.name())
                    .append(") words='")
                    .append(flags(verb))
                    .append("' ;;\n");
        }
        out.append("        esac; fi ;;\n    esac\n");
        out.append("    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n");
        return out.append("complete -o default -F _writ writ\n").toString();
    }

    private static String zsh() {
        var out = new StringBuilder("#compdef writ\n_writ() {\n    local -a verbs\n    verbs=(\n");
        Cli.verbs()
                .forEach(
                        v ->
                                out.append("        '")
                                        .append(v.name())
                                        .append(":")
                                        .append(quoted(v.manual().purpose()))
                                        .append("'\n"));
        out.append(
                "    )\n    if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n    case $words[2] in\n");
        for (var verb : Cli.verbs()) {
            out.append("        ").append(verb.name()).append(") _arguments");
            verb.manual()
                    .options()
                    .forEach(
                            o ->
                                    out.append(" '*--")
                                            .append(o.name())
                                            .append("[")
                                            .append(quoted(o.purpose()))
                                            .append("]")
                                            .append(zshValue(o))
                                            .append("'"));
            out.append(" '*:file:_files' ;;\n");
        }
        return out.append(
                        "    esac\n}\nif [ \"$funcstack[1]\" = _writ ]; then _writ \"$@\"; else compdef _writ writ; fi\n")
                .toString();
    }

    private static String zshValue(Option option) {
        return switch (option.value()) {
            case "" -> "";
            case "FILE" -> ":file:_files";
            case "NAME" -> ":profile:(" + String.join(" ", Profiles.names()) + ")";
            default -> ":" + option.value() + ":";
        };
    }

    private static String fish() {
        var out = new StringBuilder("complete -c writ -n __fish_use_subcommand -f\n");
        for (var verb : Cli.verbs()) {
            out.append("complete -c writ -n __fish_use_subcommand -a ")
                    .append(verb.name())
                    .append(" -d '")
                    .append(quoted(verb.manual().purpose()))
                    .append("'\n");
            for (var option : verb.manual().options()) {
                out.append("complete -c writ -n '__fish_seen_subcommand_from ")
                        .append(verb.name())
                        .append("' -l ")
                        .append(option.name());
                out.append(option.takesValue() ? " -r" : "");
                out.append(
                        option.value().equals("NAME")
                                ? " -f -a '" + String.join(" ", Profiles.names()) + "'"
                                : "");
                out.append(" -d '").append(quoted(option.purpose())).append("'\n");
            }
        }
        return out.toString();
    }

    private static String quoted(String text) {
        return text.replace("'", "").replace("[", "").replace("]", "").replace(":", "");
    }
}
