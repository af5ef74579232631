// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.policy.Explanation;
import dev.writ.core.policy.Policy;
import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.daemon.sandbox.Sandboxes;
import dev.writ.runtime.Config;
import dev.writ.runtime.policy.WrittenAction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Opens, shows and ends sandboxes, and judges what would be done in one.
public final class SandboxRoutes {
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final long MONTH = Duration.ofDays(30).toMillis();
    private static final long IDLE = Duration.ofMinutes(30).toMillis();
    private static final long PATIENCE = Duration.ofMinutes(10).toMillis();
    private static final int MOST_LABELS = 32;

    private final Sandboxes sandboxes;
    private final TokenAsk tokens;
    private final Config config;

    public SandboxRoutes(Sandboxes sandboxes, TokenAsk tokens, Config config) {
        this.sandboxes = sandboxes;
        this.tokens = tokens;
        this.config = config;
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/sandboxes", this::open),
                Route.get("/v1/sandboxes", this::list),
                Route.get("/v1/sandboxes/{id}", c -> c.answer(Wire.sandbox(find(sandboxes, c)))),
                Route.delete("/v1/sandboxes/{id}", this::remove),
                Route.get(
                        "/v1/sandboxes/{id}/policy",
                        c -> c.answer(Wire.policy(find(sandboxes, c).session().policy()))),
                Route.post("/v1/decide", this::decide));
    }

    /// The sandbox that the path of `call` names.
    static KeptSandbox find(Sandboxes sandboxes, Call call) {
        return sandboxes
                .find(call.part("id"))
                .orElseThrow(() -> ApiException.notFound("sandbox", call.part("id")));
    }

    private void open(Call call) throws IOException {
        var fields =
                call.fields(
                        "workspace",
                        "policy",
                        "profile",
                        "policy_file",
                        "ttl_ms",
                        "idle_ms",
                        "ask_ms",
                        "labels",
                        "token",
                        "challenge",
                        "proof",
                        "idempotency_key");
        var asked = PolicyAsk.of(fields, config);
        var labels = fields.map("labels");
        if (labels.size() > MOST_LABELS) {
            throw ApiException.invalid("more than " + MOST_LABELS + " labels");
        }
        long life = fields.number("ttl_ms", 0, 1, MONTH);
        var ask =
                new KeptSandbox.Ask(
                        asked.workspace(),
                        asked.source(),
                        asked.about(),
                        labels,
                        Duration.ofMillis(fields.number("ask_ms", PATIENCE, 0, DAY)),
                        "nobody is there to ask",
                        Duration.ofMillis(fields.number("idle_ms", IDLE, 1000, DAY)),
                        life == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(life)));
        var token = tokens.present(fields, asked.policy());
        String key = fields.text("idempotency_key").orElse("");
        var sandbox =
                token.isPresent()
                        ? sandboxes.open(token.get(), ask)
                        : sandboxes.open(asked.policy(), ask, key);
        call.answer(201, Wire.sandbox(sandbox));
    }

    private void list(Call call) throws IOException {
        call.answer(
                Map.of(
                        "sandboxes",
                        sandboxes.all().stream()
                                .sorted(Comparator.comparing(KeptSandbox::id))
                                .map(Wire::sandbox)
                                .toList()));
    }

    private void remove(Call call) throws IOException {
        sandboxes.end(find(sandboxes, call));
        call.nothing();
    }

    private void decide(Call call) throws IOException {
        var fields =
                call.fields(
                        "sandbox",
                        "workspace",
                        "policy",
                        "profile",
                        "policy_file",
                        "token",
                        "action",
                        "argv");
        Policy policy;
        FilePath folder;
        if (fields.has("sandbox")) {
            String id = fields.text("sandbox").orElse("");
            var session =
                    sandboxes
                            .find(id)
                            .orElseThrow(() -> ApiException.notFound("sandbox", id))
                            .session();
            policy = session.policy();
            folder = session.folder();
        } else {
            var asked = PolicyAsk.of(fields, config);
            policy = asked.policy();
            folder = asked.workspace();
        }
        call.answer(Wire.decision(explain(fields, tokens.narrow(fields, policy), folder)));
    }

    private static Explanation explain(Fields fields, Policy policy, FilePath folder) {
        if (fields.has("action") == fields.has("argv")) {
            throw ApiException.invalid("one of `action` and `argv` is needed");
        }
        if (fields.has("argv")) {
            var words = fields.texts("argv");
            if (words.isEmpty()) {
                throw ApiException.invalid("`argv` has at least one word");
            }
            var program = program(words.getFirst(), policy, folder);
            var start = new Action.StartProgram(program, words.subList(1, words.size()));
            return Explanation.of(policy, WrittenAction.resolved(start));
        }
        String text = fields.text("action").orElse("");
        try {
            return Explanation.of(policy, WrittenAction.read(text, policy, folder));
        } catch (SyntaxException e) {
            if (e.isUnknownKind()) {
                throw ApiException.invalid("`action`: " + e.explanation());
            }
            return Explanation.ofInvalid(text, e.explanation());
        }
    }

    private static FilePath program(String word, Policy policy, FilePath folder) {
        if (word.indexOf('/') >= 0) {
            return word.startsWith("/") ? FilePath.of(word) : folder.resolve(word);
        }
        return policy.scope().programs().stream()
                .map(f -> f.resolve(word))
                .filter(f -> Files.isExecutable(Path.of(f.toString())))
                .findFirst()
                .orElseThrow(() -> ApiException.notFound("program", word));
    }
}
