// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.core.capability.Text;
import dev.writ.runtime.approval.Choice;
import dev.writ.runtime.approval.Inbox;
import dev.writ.runtime.approval.Ink;
import dev.writ.runtime.approval.QuestionText;
import dev.writ.runtime.approval.Waiting;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Has clients put questions to whoever sits before them, one at a time for each client. An answer
/// counts for exactly what was shown, and once; whatever is no clear yes is a no.
///
/// Questions come from threads that act for a sandbox and must wake up nobody, so one of our own
/// looks for them while something runs.
final class Questions implements AutoCloseable {
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MOST_OBJECT = 12_000;
    private static final int WIDTH = 78;
    private static final int TRIES = 3;

    private final Seats seats;
    private final Inbox inbox;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("writ-questions").unstarted(this::look);
    private volatile boolean closed;

    // Both guarded by this.
    private final Map<Seat, String> asking = new HashMap<>(); // and the id of the question
    private final Map<String, Integer> tries = new HashMap<>();

    Questions(Seats seats) {
        this.seats = seats;
        this.inbox = seats.inbox();
    }

    void start() {
        thread.start();
    }

    /// Something runs, and may ask.
    void wake() {
        LockSupport.unpark(thread);
    }

    private void look() {
        while (!closed) {
            boolean busy = seats.all().stream().anyMatch(s -> s.anyCall().isPresent());
            if (busy) {
                var waiting = inbox.waiting();
                forgetAllBut(waiting);
                waiting.forEach(this::put);
                LockSupport.parkNanos(LOOK);
            } else {
                LockSupport.park(this);
            }
        }
    }

    /// A question that nobody wants to have answered any more keeps no other one waiting.
    private synchronized void forgetAllBut(List<Waiting> waiting) {
        if (!tries.isEmpty()) {
            var ids = waiting.stream().map(Waiting::id).toList();
            tries.keySet().retainAll(ids);
            asking.values().retainAll(ids);
        }
    }

    private void put(Waiting question) {
        for (var seat : seats.all()) {
            if (seat.sandbox().session().id().equals(question.subject().session())) {
                seat.anyCall().ifPresent(call -> put(question, seat, call));
            }
        }
    }

    private void put(Waiting question, Seat seat, McpAsyncServerExchange call) {
        synchronized (this) {
            if (asking.containsKey(seat)) {
                return;
            }
            if (tries.merge(question.id(), 1, Integer::sum) > TRIES) {
                answer(question, Choice.NO, "the client " + seat.client() + ", which cannot ask");
                return;
            }
            asking.put(seat, question.id());
        }
        var text =
                new QuestionText(
                        question.question(), question.lineage(), false, MOST_OBJECT, Ink.PLAIN);
        if (text.object().length() > MOST_OBJECT) {
            answer(question, Choice.NO, "Writ, because it is too long to be shown whole");
            over(seat, question);
            return;
        }
        var _ =
                call.createElicitation(form(text, question))
                        .subscribe(
                                result -> {
                                    answer(question, choice(result), by(seat));
                                    over(seat, question);
                                },
                                error -> failed(question, seat, error));
    }

    /// If the call ended on whose way the question went, another one may lead to the client.
    private void failed(Waiting question, Seat seat, Throwable error) {
        if (error instanceof McpError) {
            answer(question, Choice.NO, "the client " + seat.client() + ", which could not ask");
        }
        over(seat, question);
    }

    private synchronized void over(Seat seat, Waiting question) {
        asking.remove(seat, question.id());
    }

    private void answer(Waiting question, Choice choice, String by) {
        inbox.answer(question.id(), question.digest(), choice, by);
    }

    private static String by(Seat seat) {
        return "whom the client " + seat.client() + " asked";
    }

    private static ElicitFormRequest form(QuestionText text, Waiting question) {
        var lines = text.body(WIDTH, true);
        var subject = question.subject();
        String message =
                String.join("\n", lines)
                        + "\nfor "
                        + subject.principal()
                        + ", in "
                        + Text.shown(subject.folder().toString());
        var answer = new LinkedHashMap<String, Object>();
        answer.put("type", "string");
        answer.put("title", "Your answer");
        answer.put(
                "description",
                "once: this time. session: exactly this, until the session ends. no: not at all.");
        answer.put("enum", List.of("no", "once", "session"));
        answer.put("default", "no");
        return ElicitFormRequest.builder(
                        message,
                        Map.of(
                                "type",
                                "object",
                                "properties",
                                Map.of("answer", answer),
                                "required",
                                List.of("answer")))
                .build();
    }

    private static Choice choice(ElicitResult result) {
        if (result.action() != ElicitResult.Action.ACCEPT || result.content() == null) {
            return Choice.NO;
        }
        return switch (String.valueOf(result.content().get("answer"))) {
            case "once" -> Choice.ONCE;
            case "session" -> Choice.THIS_RUN;
            default -> Choice.NO;
        };
    }

    /// How long the SDK waits for an answer: longer than the question does.
    static Duration patience() {
        return Seats.PATIENCE.plusSeconds(5);
    }

    @Override
    public void close() {
        closed = true;
        wake();
    }
}
