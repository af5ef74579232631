// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.core.capability.Text;
import dev.writ.daemon.Daemon;
import dev.writ.daemon.client.DaemonClient;
import dev.writ.runtime.approval.QuestionText;
import dev.writ.trust.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The questions that wait in the daemon, for verbs that show and answer them.
final class Questions {
    private final World world;

    Questions(World world) {
        this.world = world;
    }

    /// What waits; empty if nothing does, or no daemon runs.
    List<Map<?, ?>> waiting() {
        try (var client = DaemonState.connect(world)) {
            return client.get("/v1/approvals").json() instanceof Map<?, ?> answer
                            && answer.get("approvals") instanceof List<?> all
                    ? all.stream()
                            .filter(Map.class::isInstance)
                            .<Map<?, ?>>map(one -> (Map<?, ?>) one)
                            .toList()
                    : List.of();
        } catch (IOException e) {
            return List.of();
        }
    }

    /// Shows one, all of it.
    void print(Map<?, ?> one) {
        world.out().println(world.paint().bold(text(one, "id")) + "  " + text(one, "action"));
        for (var task : tasks(one)) {
            world.out().println("      " + task);
        }
        if (!text(one, "stdin").isEmpty()) {
            world.out().println("      in " + text(one, "cwd"));
            world.out().println("      input " + text(one, "stdin"));
        }
        world.out()
                .println(
                        world.paint()
                                .dim(
                                        "      "
                                                + text(one, "rule")
                                                + " ("
                                                + text(one, "source")
                                                + "), sandbox "
                                                + text(one, "sandbox")
                                                + ", refused at "
                                                + text(one, "until")
                                                + (text(one, "times").equals("1")
                                                        ? ""
                                                        : ", asked "
                                                                + text(one, "times")
                                                                + " times")));
    }

    private static List<String> tasks(Map<?, ?> one) {
        return one.get("lineage") instanceof List<?> tasks
                ? tasks.stream()
                        .filter(Map.class::isInstance)
                        .map(task -> task((Map<?, ?>) task))
                        .toList()
                : List.of();
    }

    private static String task(Map<?, ?> task) {
        String words =
                task.get("command") instanceof List<?> command
                        ? command.stream()
                                .map(w -> QuestionText.word(String.valueOf(w)))
                                .collect(Collectors.joining(" "))
                        : "";
        return "by " + text(task, "process") + " " + text(task, "program") + ": " + words;
    }

    private static String text(Map<?, ?> map, String name) {
        return Text.shown(String.valueOf(map.get(name)));
    }

    /// Answers the one that `id` names, whole or by its beginning.
    int answer(String id, String decision, String scope) {
        var found =
                waiting().stream().filter(q -> String.valueOf(q.get("id")).startsWith(id)).toList();
        if (found.size() != 1) {
            throw new UsageException(
                    found.isEmpty()
                            ? "no question begins with `"
                                    + Text.shown(id)
                                    + "`; `writ approvals` shows those that wait"
                            : found.size()
                                    + " questions begin with `"
                                    + Text.shown(id)
                                    + "`; say more of it");
        }
        var question = found.getFirst();
        print(question);
        var body = new LinkedHashMap<String, Object>();
        body.put("decision", decision);
        body.put("scope", scope);
        body.put("digest", String.valueOf(question.get("digest")));
        try (var client = DaemonState.connect(world)) {
            var answer =
                    client.with("writ-approver", secret())
                            .ask("POST", "/v1/approvals/" + question.get("id"), Json.write(body));
            if (answer.status() == 200) {
                world.out().println(done(decision, scope, question));
                return ExitCode.OK;
            }
            throw new UsageException(detail(answer));
        } catch (IOException e) {
            throw new UsageException("the daemon cannot be reached: " + e.getMessage());
        }
    }

    private static String done(String decision, String scope, Map<?, ?> question) {
        return switch (decision + " " + scope) {
            case "approve once" -> "approved, this once";
            case "approve session" -> "approved, for as long as the sandbox is there";
            case "approve always" -> "approved for good: " + text(question, "remembered");
            case "refuse all" -> "refused, and so is everything else that this sandbox asks";
            default -> "refused";
        };
    }

    static String detail(DaemonClient.Answer answer) {
        return answer.json() instanceof Map<?, ?> problem
                ? text(problem, "detail")
                : "the daemon said " + answer.status();
    }

    String secret() throws IOException {
        var file = Path.of(world.config().state().toString()).resolve(Daemon.APPROVER);
        return Optional.of(Files.readString(file, US_ASCII)).map(String::strip).orElse("");
    }
}
