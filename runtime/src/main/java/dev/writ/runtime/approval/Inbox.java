// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Request;
import dev.writ.core.capability.Action;
import dev.writ.core.policy.Rule;
import dev.writ.runtime.policy.Approvals;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/// Where the questions of many sessions wait until somebody answers them, wherever that is: each
/// once, and only as what it was shown as. Nobody in time is a no.
///
/// An agent can ask as much as it likes. So only some questions of a session may wait, only so many
/// may come in a minute, and those who want the same are shown as one.
public final class Inbox implements Approver {
    private static final long LOOK_EVERY_MS = 500;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int ID_BYTES = 5;

    private final Bounds bounds;
    private final InstantSource clock;

    // All guarded by this.
    private final Map<SessionId, Desk> desks = new HashMap<>();
    private final Map<String, Pending> pending = new LinkedHashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final AtomicLong changes = new AtomicLong();

    /// How much is asked of a person.
    ///
    /// @param waiting how many of one session may wait
    /// @param perMinute how many of one session may come in a minute
    public record Bounds(int waiting, int perMinute) {
        public static final Bounds DEFAULT = new Bounds(64, 120);
    }

    /// What is known of one session.
    private static final class Desk {
        private final Subject subject;
        private final Given given;
        private final Duration patience;
        private final String nobody;
        private int waiting;
        private long minute;
        private int asked;

        private Desk(Subject subject, Given given, Duration patience, String nobody) {
            this.subject = subject;
            this.given = given;
            this.patience = patience;
            this.nobody = nobody;
        }
    }

    private record Pending(Desk desk, Waiting shown, CompletableFuture<Answer> answer) {}

    /// What came of an answer.
    public enum Outcome {
        /// It was the first, and counts.
        TAKEN,
        /// Nothing of that name waits: it was answered, its time was over, or nobody wants to know
        /// any more.
        GONE,
        /// Something else was shown to whoever answered; it still waits.
        ANOTHER,
        /// It cannot be remembered, because no line stands for it alone; it still waits.
        NOT_FOR_GOOD
    }

    public Inbox(Bounds bounds, InstantSource clock) {
        this.bounds = bounds;
        this.clock = clock;
    }

    /// From now on `subject` may ask.
    ///
    /// @param patience how long a question waits; not at all if it is zero
    public void open(Subject subject, Approvals approvals, Duration patience) {
        open(subject, approvals, patience, "nobody is there to ask");
    }

    /// @param nobody why nobody is asked, if no question waits
    public synchronized void open(
            Subject subject, Approvals approvals, Duration patience, String nobody) {
        var given = new Given(approvals, clock);
        desks.put(subject.session(), new Desk(subject, given, patience, nobody));
    }

    /// The session is over; what it still asks is refused.
    public synchronized void close(SessionId session) {
        desks.remove(session);
        settle(
                pending.values().stream()
                        .filter(p -> p.desk().subject.session().equals(session))
                        .toList(),
                new Answer.NotAsked("the session is over"));
    }

    @Override
    public Answer ask(Request request, Rule rule) {
        // Not under the lock: these look at processes.
        var lineage = request.asker().lineage();
        var circumstances = request.asker().circumstances();
        Pending mine;
        synchronized (this) {
            var desk = desks.get(request.session());
            if (desk == null) {
                return new Answer.NotAsked("this session is not open");
            }
            var known = desk.given.find(request.action());
            if (known.isPresent()) {
                return known.get();
            }
            var tooMuch = tooMuch(desk);
            if (tooMuch.isPresent()) {
                return new Answer.NotAsked(tooMuch.get());
            }
            mine = put(desk, request, rule, lineage, circumstances);
        }
        return await(mine, request.asker());
    }

    private Optional<String> tooMuch(Desk desk) {
        if (desk.patience.isZero()) {
            return Optional.of(desk.nobody);
        }
        if (desk.waiting >= bounds.waiting()) {
            return Optional.of(
                    "not asked, because " + desk.waiting + " others wait for an answer already");
        }
        long minute = clock.millis() / MINUTE.toMillis();
        if (minute != desk.minute) {
            desk.minute = minute;
            desk.asked = 0;
        }
        return ++desk.asked > bounds.perMinute()
                ? Optional.of(
                        "not asked, because "
                                + bounds.perMinute()
                                + " questions have come within a minute")
                : Optional.empty();
    }

    private Pending put(
            Desk desk,
            Request request,
            Rule rule,
            List<Asker.Task> lineage,
            Asker.Circumstances circumstances) {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = "q" + HexFormat.of().formatHex(bytes);
        var approvals = desk.given.approvals();
        var question =
                new Question(
                        request.action(),
                        rule,
                        List.of(request.asker()),
                        circumstances,
                        approvals.rule(request.action()).orElse(""),
                        approvals.file().toString(),
                        () -> 0);
        var now = clock.instant();
        var shown =
                new Waiting(
                        id,
                        desk.subject,
                        question,
                        lineage,
                        1,
                        now,
                        now.plus(desk.patience),
                        Waiting.digest(id, desk.subject, question, lineage));
        var mine = new Pending(desk, shown, new CompletableFuture<>());
        pending.put(id, mine);
        desk.waiting++;
        changed();
        return mine;
    }

    private Answer await(Pending mine, Asker asker) {
        long end = System.nanoTime() + mine.desk().patience.toNanos();
        String why;
        try {
            while (true) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    why = "nobody answered within " + mine.desk().patience.toSeconds() + " s";
                    break;
                }
                if (!asker.isWaiting()) {
                    why = "nobody waits for the answer any more";
                    break;
                }
                try {
                    return mine.answer().get(Math.min(left, LOOK_EVERY_MS), TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    // Look again.
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why = "whoever waited for the answer was interrupted";
        } catch (ExecutionException e) {
            throw new AssertionError("answers do not fail", e);
        }
        synchronized (this) {
            settle(List.of(mine), new Answer.NotAsked(why));
        }
        return mine.answer().join(); // somebody may have been faster
    }

    /// What waits, oldest first; of those who want the same in one session, the first.
    public synchronized List<Waiting> waiting() {
        var shown = new LinkedHashMap<Object, Waiting>();
        for (var one : pending.values()) {
            shown.merge(same(one), one.shown(), (first, _) -> first.again());
        }
        return List.copyOf(shown.values());
    }

    /// The question of that name, if it still waits.
    public synchronized Optional<Waiting> find(String id) {
        return Optional.ofNullable(pending.get(id)).map(Pending::shown);
    }

    /// What two have in common that are one to whoever answers.
    private static Object same(Pending one) {
        return List.of(action(one), one.shown().question().circumstances());
    }

    /// The same action, wherever it is to happen.
    private static Object action(Pending one) {
        return List.of(one.desk().subject.session(), one.shown().question().action());
    }

    /// Answers one question. What the answer says of others that wait already, counts for them too:
    /// an approval for the session for the same action, a no for the same under the same
    /// circumstances, a no to all for all.
    ///
    /// @param digest what was shown to whoever answers
    /// @param by who that is, for the record
    public Outcome answer(String id, String digest, Choice choice, String by) {
        Pending chosen;
        synchronized (this) {
            chosen = pending.get(id);
            if (chosen == null) {
                return Outcome.GONE;
            }
            if (!chosen.shown().digest().equals(digest)) {
                return Outcome.ANOTHER;
            }
            if (choice == Choice.ALWAYS && chosen.shown().question().remembered().isEmpty()) {
                return Outcome.NOT_FOR_GOOD;
            }
            pending.remove(id); // from here on nobody else can answer it
        }
        var given = chosen.desk().given;
        var action = chosen.shown().question().action();
        // Not under the lock: to remember it takes a file.
        var answer = give(given, action, choice, by);
        synchronized (this) {
            release(chosen, answer);
            var others =
                    pending.values().stream()
                            .filter(p -> p.desk().equals(chosen.desk()))
                            .filter(p -> !mustStillBeAsked(p, chosen, choice))
                            .toList();
            for (var other : others) {
                var itsAction = other.shown().question().action();
                settle(List.of(other), given.find(itsAction).orElse(answer));
            }
            return Outcome.TAKEN;
        }
    }

    private static Answer give(Given given, Action action, Choice choice, String by) {
        try {
            return given.give(action, choice, by, _ -> {});
        } catch (RuntimeException e) {
            return new Answer.NotAsked("the answer could not be kept: " + e.getMessage());
        }
    }

    private static boolean mustStillBeAsked(Pending one, Pending answered, Choice choice) {
        return switch (choice) {
            case ONCE -> true;
            case THIS_RUN, ALWAYS -> !action(one).equals(action(answered));
            case NO -> !same(one).equals(same(answered));
            case NO_TO_ALL -> false;
        };
    }

    private void settle(List<Pending> some, Answer answer) {
        for (var one : some) {
            if (pending.remove(one.shown().id(), one)) {
                release(one, answer);
            }
        }
    }

    private void release(Pending one, Answer answer) {
        one.desk().waiting--;
        one.answer().complete(answer);
        changed();
    }

    /// Nobody is woken: whoever asks may act for a sandbox, and a thread that it starts by waking
    /// another would have as few rights as itself.
    private void changed() {
        changes.incrementAndGet();
    }

    /// How often what waits has changed.
    public long changes() {
        return changes.get();
    }

    /// How many wait.
    public synchronized int size() {
        return pending.size();
    }
}
