// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Text;
import dev.writ.runtime.approval.Choice;
import dev.writ.runtime.approval.Inbox;
import dev.writ.runtime.approval.Waiting;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The questions that wait, and the answers to them. Whoever speaks to the daemon can see them; to
/// answer takes the secret of the operator, which whoever drives an agent need not have.
public final class ApprovalRoutes {
    private static final long LOOK_EVERY_MS = 50;
    private static final long LONGEST_MS = 120_000;

    private final Inbox inbox;
    private final Operator operator;

    public ApprovalRoutes(Inbox inbox, Operator operator) {
        this.inbox = inbox;
        this.operator = operator;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/approvals", this::list),
                Route.get("/v1/approvals/{id}", c -> c.answer(wire(find(c)))),
                Route.post("/v1/approvals/{id}", this::answer));
    }

    private Waiting find(Call call) {
        return inbox.find(call.part("id")).orElseThrow(() -> gone(call));
    }

    private static ApiException gone(Call call) {
        return new ApiException(
                404,
                "approval.not-found",
                "`"
                        + Text.shown(call.part("id"))
                        + "` waits no more: it was answered, its time is over, or nobody wants to"
                        + " know any more");
    }

    private void list(Call call) throws IOException {
        var query = call.query(List.of("after", "wait_ms"));
        long after = number(query.getOrDefault("after", "-1"));
        long wait = Math.clamp(number(query.getOrDefault("wait_ms", "0")), 0, LONGEST_MS);
        long end = System.nanoTime() + wait * 1_000_000;
        while (inbox.changes() == after && System.nanoTime() < end) {
            pause();
        }
        // ORDER: a change between the two is seen by the next call.
        long changes = inbox.changes();
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("changes", changes);
        map.put("approvals", inbox.waiting().stream().map(ApprovalRoutes::wire).toList());
        call.answer(map);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw ApiException.invalid("`after` and `wait_ms` are numbers");
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(LOOK_EVERY_MS);
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private void answer(Call call) throws IOException {
        operator.check(call, "to answer");
        var fields = call.fields("decision", "scope", "digest");
        var choice = choice(fields);
        String digest =
                fields.text("digest")
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "`digest` is missing: of what was shown to whoever"
                                                        + " answers"));
        switch (inbox.answer(call.part("id"), digest, choice, "the operator")) {
            case TAKEN -> call.answer(Map.of("outcome", "taken"));
            case GONE -> throw gone(call);
            case ANOTHER ->
                    throw new ApiException(
                            409,
                            "approval.another",
                            "`digest` is of something else than what waits; look at it again");
            case NOT_FOR_GOOD ->
                    throw new ApiException(
                            409,
                            "approval.not-for-good",
                            "no line stands for it alone, so it cannot be approved for good; use"
                                    + " `once` or `session`");
        }
    }

    private static Choice choice(Fields fields) {
        String scope = fields.text("scope").orElse("once");
        return switch (fields.text("decision").orElse("") + " " + scope) {
            case "approve once" -> Choice.ONCE;
            case "approve session" -> Choice.THIS_RUN;
            case "approve always" -> Choice.ALWAYS;
            case "refuse once" -> Choice.NO;
            case "refuse all" -> Choice.NO_TO_ALL;
            default ->
                    throw ApiException.invalid(
                            "`decision` is `approve` with a `scope` of `once`, `session` or"
                                    + " `always`, or `refuse` with one of `once` or `all`");
        };
    }

    /// Texts are neutralised: nothing in them can draw on a screen.
    private static Map<String, @Nullable Object> wire(Waiting waiting) {
        var subject = waiting.subject();
        var question = waiting.question();
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("id", waiting.id());
        map.put("digest", waiting.digest());
        map.put("sandbox", subject.session().value());
        map.put("principal", Text.shown(subject.principal()));
        map.put("policy", subject.policy());
        map.put("folder", Text.shown(subject.folder().toString()));
        var around = question.circumstances();
        var names = around.variables().isEmpty() ? subject.environment() : around.variables();
        map.put("environment", names.stream().map(Text::shown).toList());
        map.put("cwd", Text.shown(around.folder()));
        map.put("stdin", Text.shown(around.input()));
        map.put("action", Text.shown(question.action().text(Scope.SPELLED_OUT)));
        map.put("rule", Text.shown(question.rule().written()));
        map.put("source", Text.shown(question.rule().source().toString()));
        map.put("asked", waiting.asked().toString());
        map.put("until", waiting.until().toString());
        map.put("times", waiting.times());
        map.put("lineage", waiting.lineage().stream().map(ApprovalRoutes::task).toList());
        map.put("remembered", question.remembered());
        map.put("remembered_in", Text.shown(question.place()));
        return map;
    }

    private static Map<String, @Nullable Object> task(Asker.Task task) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("process", task.number());
        map.put("program", Text.shown(task.program()));
        map.put("command", task.command().stream().map(Text::shown).toList());
        return map;
    }
}
