// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Text;
import dev.writ.core.pattern.UndecidedException;
import dev.writ.core.sandbox.NotStartedException;
import dev.writ.core.sandbox.SandboxException;
import dev.writ.egress.secret.SecretException;
import dev.writ.runtime.policy.InvalidPolicyException;
import dev.writ.runtime.record.RecordException;
import dev.writ.trust.attest.AttestationException;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.log.LogException;
import java.io.UncheckedIOException;
import java.util.List;

/// Finds the verb and runs it. Whatever goes wrong before it has done anything is one line and exit
/// code 125.
final class Cli {
    private final World world;

    Cli(World world) {
        this.world = world;
    }

    static List<Verb> verbs() {
        return List.of(
                new RunVerb(),
                new InitVerb(),
                new PlanVerb(),
                new ExplainVerb(),
                new CheckVerb(),
                new DiffVerb(),
                new ProfilesVerb(),
                new ApprovalsVerb(),
                AnswerVerb.approve(),
                AnswerVerb.refuse(),
                new ConsoleVerb(),
                new LogVerb(),
                new AttestVerb(),
                new KeysVerb(),
                new TokenVerb(),
                new ProxyVerb(),
                new UpVerb(),
                new DownVerb(),
                new StatusVerb(),
                new HookVerb(),
                new McpVerb(),
                new ProbeVerb(),
                new VersionVerb(),
                new CompletionsVerb(),
                new HelpVerb());
    }

    int run(List<String> arguments) {
        try {
            return dispatch(arguments);
        } catch (NotStartedException e) {
            world.err().println("writ: " + e.getMessage());
            return e.exitCode();
        } catch (UsageException
                | UndecidedException
                | SandboxException
                | UncheckedIOException
                | RecordException e) {
            world.err().println("writ: " + e.getMessage());
        } catch (TokenOptions.RefusedToken e) {
            world.err().println("writ: " + e.getMessage());
            return ExitCode.DENIED;
        } catch (SecretException e) {
            world.err()
                    .println(
                            "writ: "
                                    + Text.shown(String.valueOf(e.getMessage()))
                                    + (e.hint().isEmpty() ? "" : "; " + e.hint()));
        } catch (KeyException | LogException | AttestationException e) {
            world.err().println("writ: " + Text.shown(String.valueOf(e.getMessage())));
        } catch (InvalidPolicyException e) {
            int more = e.problems().size() - 1;
            world.err()
                    .println(
                            "writ: "
                                    + e.problems().getFirst()
                                    + (more == 0
                                            ? ""
                                            : " (and " + more + " more: `writ check` lists them)"));
        }
        return ExitCode.CANNOT_START;
    }

    private int dispatch(List<String> arguments) {
        String first = arguments.isEmpty() ? "help" : arguments.getFirst();
        var rest = arguments.subList(Math.min(1, arguments.size()), arguments.size());
        return switch (first) {
            case "-h", "--help" -> run("help", List.of());
            case "--version" -> run("version", List.of());
            default ->
                    asksForHelp(rest) ? run("help", List.of(verb(first).name())) : run(first, rest);
        };
    }

    private static boolean asksForHelp(List<String> rest) {
        int end = rest.indexOf("--");
        return rest.subList(0, end < 0 ? rest.size() : end).stream()
                .anyMatch(w -> w.equals("--help") || w.equals("-h"));
    }

    private int run(String name, List<String> rest) {
        return verb(name).runWords(rest, world);
    }

    static Verb verb(String name) {
        for (var verb : verbs()) {
            if (verb.name().equals(name)) {
                return verb;
            }
        }
        String nearest = Nearest.suggestion(name, verbs().stream().map(Verb::name).toList());
        throw new UsageException(
                "unknown verb `"
                        + Text.shown(name)
                        + "`; "
                        + (nearest.isEmpty() ? "`writ help` lists them" : nearest));
    }
}
