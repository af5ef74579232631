// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent.Term;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver.Answer;
import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Asker.Circumstances;
import dev.writ.core.broker.Request;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.runtime.approval.Inbox.Outcome;
import dev.writ.runtime.policy.Approvals;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class InboxTest {
    private static final Rule RULE =
            Rule.parse(Effect.ASK, "read:/q", Scope.SPELLED_OUT, Source.of("test"));
    private static final SessionId ONE = new SessionId("one");
    private static final SessionId TWO = new SessionId("two");

    @TempDir Path temporary;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private Duration patience = Duration.ofMinutes(10);
    private Inbox inbox = new Inbox(Inbox.Bounds.DEFAULT, InstantSource.system());

    @BeforeEach
    void given() throws Exception {
        temporary = temporary.toRealPath();
        open(ONE);
        open(TWO);
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private void open(SessionId session) {
        inbox.open(
                new Subject(session, "anna", "digest", FilePath.of("/w"), List.of("PATH", "HOME")),
                approvals(),
                patience);
    }

    private Approvals approvals() {
        return Approvals.of(
                FilePath.of(temporary.resolve("state").toString()),
                Path.of("/p/writ.yaml"),
                Scope.SPELLED_OUT);
    }

    private Future<Answer> ask(SessionId session, String path) {
        return ask(session, path, Asker.UNKNOWN);
    }

    private Future<Answer> ask(SessionId session, String path, Asker asker) {
        int before = inbox.size();
        var action = new Action.ReadFile(FilePath.of(path));
        var answer = threads.submit(() -> inbox.ask(new Request(session, action, asker), RULE));
        for (int i = 0; i < 2000 && inbox.size() == before && !answer.isDone(); i++) {
            sleep();
        }
        return answer;
    }

    private static void sleep() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Outcome answer(Waiting one, Choice choice) {
        return inbox.answer(one.id(), one.digest(), choice, "bob");
    }

    @Test
    void ten_thousand_are_each_answered_once() throws Exception {
        int sessions = 200;
        int each = 50;
        for (int i = 0; i < sessions; i++) {
            open(new SessionId("s" + i));
        }
        var asked = new ArrayList<Future<Answer>>();
        for (int i = 0; i < sessions * each; i++) {
            var request =
                    new Request(
                            new SessionId("s" + i % sessions),
                            new Action.ReadFile(FilePath.of("/q/" + i / sessions)));
            asked.add(threads.submit(() -> inbox.ask(request, RULE)));
        }
        Map<String, AtomicInteger> taken = new ConcurrentHashMap<>();
        var done = new AtomicBoolean();
        var operators = new ArrayList<Future<?>>();
        for (int i = 0; i < 8; i++) {
            var choice = i % 2 == 0 ? Choice.ONCE : Choice.NO;
            operators.add(
                    threads.submit(
                            () -> {
                                while (!done.get()) {
                                    for (var one : inbox.waiting()) {
                                        if (answer(one, choice) == Outcome.TAKEN) {
                                            taken.computeIfAbsent(
                                                            one.id(), _ -> new AtomicInteger())
                                                    .incrementAndGet();
                                        }
                                    }
                                }
                            }));
        }

        int answered = 0;
        for (var one : asked) {
            assertThat(one.get()).isNotInstanceOf(Answer.NotAsked.class);
            answered++;
        }
        done.set(true);
        for (var operator : operators) {
            operator.get();
        }

        assertThat(answered).isEqualTo(sessions * each);
        assertThat(taken.values()).allMatch(count -> count.get() == 1).hasSize(answered);
        assertThat(inbox.size()).isZero();
    }

    @Test
    void an_answer_is_for_exactly_what_was_shown_and_counts_once() throws Exception {
        var answer = ask(ONE, "/q/a");
        var shown = inbox.waiting().getFirst();

        assertThat(inbox.answer(shown.id(), "0".repeat(64), Choice.ONCE, "bob"))
                .isEqualTo(Outcome.ANOTHER);
        assertThat(inbox.answer("q999", shown.digest(), Choice.ONCE, "bob"))
                .isEqualTo(Outcome.GONE);
        assertThat(answer.isDone()).isFalse();
        assertThat(answer(shown, Choice.ONCE)).isEqualTo(Outcome.TAKEN);
        assertThat(answer.get()).isEqualTo(new Answer.Approved("bob"));
        assertThat(answer(shown, Choice.ONCE)).isEqualTo(Outcome.GONE);

        var again = ask(ONE, "/q/a");
        assertThat(answer(shown, Choice.ONCE)).isEqualTo(Outcome.GONE);
        assertThat(inbox.waiting().getFirst().digest()).isNotEqualTo(shown.digest());
        assertThat(again.isDone()).isFalse();
    }

    @Test
    void the_digest_tells_apart_whatever_can_differ() {
        var base = new Subject(ONE, "anna", "p", FilePath.of("/w"), List.of("A"));
        var question = question("/q", Circumstances.NONE);
        var other = question("/r", Circumstances.NONE);
        var task = new Asker.Task(1, "/bin/sh", List.of("sh", "-c", "x"));
        var split = new Asker.Task(1, "/bin/sh", List.of("sh", "-c x"));
        assertThat(
                        List.of(
                                Waiting.digest("1", base, question, List.of(task)),
                                Waiting.digest("2", base, question, List.of(task)),
                                Waiting.digest("1", base, other, List.of(task)),
                                Waiting.digest("1", base, question, List.of(split)),
                                Waiting.digest("1", base, question, List.of()),
                                Waiting.digest("1", in(base, TWO, "p", "/w"), question, List.of()),
                                Waiting.digest("1", in(base, ONE, "o", "/w"), question, List.of()),
                                Waiting.digest("1", in(base, ONE, "p", "/v"), question, List.of()),
                                digest(base, "/w", "nothing", "1", "A"),
                                digest(base, "/v", "nothing", "1", "A"),
                                digest(base, "/w", "a stream", "1", "A"),
                                digest(base, "/w", "nothing", "2", "A"),
                                digest(base, "/w", "nothing", "1", "B"),
                                digest(base, "/w", "nothing", "1", "A", "B"),
                                digest(base, "/w\udc80", "nothing", "1", "A"),
                                digest(base, "/w\udc81", "nothing", "1", "A"),
                                digest(base, "/w?", "nothing", "1", "A")))
                .doesNotHaveDuplicates();
    }

    private static Question question(String path, Circumstances around) {
        var action = new Action.ReadFile(FilePath.of(path));
        return new Question(action, RULE, List.of(), around, "", "", () -> 0);
    }

    private static String digest(
            Subject subject, String folder, String input, String identity, String... names) {
        var around = new Circumstances(folder, input, List.of(names), identity);
        return Waiting.digest("1", subject, question("/q", around), List.of());
    }

    @Test
    void the_same_in_another_folder_or_with_other_input_is_another_question() throws Exception {
        var here = ask(ONE, "/q/a", new AskerAt("/w", "nothing"));
        var there = ask(ONE, "/q/a", new AskerAt("/v", "nothing"));
        var other = ask(ONE, "/q/a", new AskerAt("/w", "3 bytes"));
        var same = ask(ONE, "/q/a", new AskerAt("/w", "nothing"));
        assertThat(inbox.waiting())
                .as("what is the same is one question")
                .extracting(Waiting::times)
                .containsExactly(2, 1, 1);

        var shown = inbox.waiting();
        var mixed = shown.get(1);
        assertThat(inbox.answer(mixed.id(), shown.getFirst().digest(), Choice.ONCE, "bob"))
                .isEqualTo(Outcome.ANOTHER);
        answer(mixed, Choice.ONCE);

        assertThat(there.get()).isEqualTo(new Answer.Approved("bob"));
        assertThat(List.of(here, other, same)).noneMatch(Future::isDone);
        answer(inbox.waiting().getFirst(), Choice.NO);
        assertThat(here.get()).isInstanceOf(Answer.Refused.class);
        assertThat(same.get()).isInstanceOf(Answer.Refused.class);
        assertThat(other.isDone()).isFalse();
    }

    @Test
    void for_the_session_is_for_all_folders() throws Exception {
        var here = ask(ONE, "/q/a", new AskerAt("/w", "nothing"));
        var there = ask(ONE, "/q/a", new AskerAt("/v", "nothing"));
        answer(inbox.waiting().getFirst(), Choice.THIS_RUN);

        assertThat(here.get()).isEqualTo(new Answer.Approved("bob", Term.SESSION));
        assertThat(there.get()).isEqualTo(new Answer.Approved("bob", Term.SESSION));
    }

    private static Subject in(Subject like, SessionId session, String policy, String folder) {
        return new Subject(
                session, like.principal(), policy, FilePath.of(folder), like.environment());
    }

    @Test
    void an_approval_for_the_session_answers_the_same_there_and_nowhere_else() throws Exception {
        var first = ask(ONE, "/q/a");
        var same = ask(ONE, "/q/a");
        var elsewhere = ask(TWO, "/q/a");
        var another = ask(ONE, "/q/b");
        assertThat(inbox.waiting()).extracting(Waiting::times).containsExactly(2, 1, 1);

        answer(inbox.waiting().getFirst(), Choice.THIS_RUN);

        assertThat(first.get()).isEqualTo(new Answer.Approved("bob", Term.SESSION));
        assertThat(same.get()).isEqualTo(new Answer.Approved("bob", Term.SESSION));
        assertThat(ask(ONE, "/q/a").get()).isEqualTo(new Answer.Approved("bob", Term.SESSION));
        assertThat(elsewhere.isDone()).isFalse();
        assertThat(another.isDone()).isFalse();
    }

    @Test
    void once_answers_one_of_those_who_want_the_same() throws Exception {
        var first = ask(ONE, "/q/a");
        var second = ask(ONE, "/q/a");

        answer(inbox.waiting().getFirst(), Choice.ONCE);

        assertThat(first.get()).isInstanceOf(Answer.Approved.class);
        assertThat(second.isDone()).isFalse();
        answer(inbox.waiting().getFirst(), Choice.NO);
        assertThat(second.get()).isEqualTo(new Answer.Refused("bob"));
    }

    @Test
    void for_good_is_remembered_after_a_restart() throws Exception {
        var first = ask(ONE, "/q/a");
        answer(inbox.waiting().getFirst(), Choice.ALWAYS);
        assertThat(first.get()).matches(a -> ((Answer.Approved) a).term() == Term.ALWAYS);

        inbox = new Inbox(Inbox.Bounds.DEFAULT, InstantSource.system());
        open(ONE);
        assertThat(ask(ONE, "/q/a").get())
                .matches(a -> ((Answer.Approved) a).by().startsWith("remembered approval "));
    }

    @Test
    void no_to_all_ends_all_questions_of_that_session() throws Exception {
        var first = ask(ONE, "/q/a");
        var second = ask(ONE, "/q/b");
        var elsewhere = ask(TWO, "/q/c");

        answer(inbox.waiting().getFirst(), Choice.NO_TO_ALL);

        assertThat(first.get()).isInstanceOf(Answer.Refused.class);
        assertThat(second.get()).isInstanceOf(Answer.Refused.class);
        assertThat(ask(ONE, "/q/d").get()).isInstanceOf(Answer.Refused.class);
        assertThat(elsewhere.isDone()).isFalse();
    }

    @Test
    void nobody_in_time_is_a_no() throws Exception {
        patience = Duration.ofMillis(50);
        open(ONE);
        var shown = new ArrayList<Waiting>();
        var answer = ask(ONE, "/q/a");
        shown.addAll(inbox.waiting());

        assertThat(answer.get()).isInstanceOf(Answer.NotAsked.class);
        assertThat(inbox.size()).isZero();
        shown.forEach(one -> assertThat(answer(one, Choice.ONCE)).isEqualTo(Outcome.GONE));
    }

    @Test
    void who_waits_no_more_and_whose_session_is_over_is_not_shown() throws Exception {
        var gone = new AtomicBoolean();
        Asker asker =
                new Asker() {
                    @Override
                    public List<Task> lineage() {
                        return List.of();
                    }

                    @Override
                    public boolean isWaiting() {
                        return !gone.get();
                    }
                };
        var left = ask(ONE, "/q/a", asker);
        var over = ask(TWO, "/q/a");

        gone.set(true);
        inbox.close(TWO);

        assertThat(left.get()).isInstanceOf(Answer.NotAsked.class);
        assertThat(over.get()).isEqualTo(new Answer.NotAsked("the session is over"));
        assertThat(ask(TWO, "/q/a").get()).isInstanceOf(Answer.NotAsked.class);
        assertThat(inbox.size()).isZero();
    }

    @Test
    void a_flood_of_one_session_leaves_room_for_others() throws Exception {
        inbox = new Inbox(new Inbox.Bounds(3, 120), InstantSource.system());
        open(ONE);
        open(TWO);
        for (int i = 0; i < 3; i++) {
            assertThat(ask(ONE, "/q/" + i).isDone()).isFalse();
        }
        assertThat(ask(ONE, "/q/more").get())
                .isEqualTo(
                        new Answer.NotAsked(
                                "not asked, because 3 others wait for an answer already"));
        assertThat(ask(TWO, "/q/0").isDone()).isFalse();
    }

    @Test
    void who_asks_again_and_again_is_not_shown_any_more() throws Exception {
        inbox = new Inbox(new Inbox.Bounds(64, 5), InstantSource.fixed(Instant.EPOCH));
        open(ONE);
        for (int i = 0; i < 5; i++) {
            var answer = ask(ONE, "/q/" + i);
            answer(inbox.waiting().getFirst(), Choice.NO);
            answer.get();
        }
        assertThat(ask(ONE, "/q/more").get())
                .isEqualTo(
                        new Answer.NotAsked(
                                "not asked, because 5 questions have come within a minute"));
    }

    @Test
    void each_change_can_be_seen() throws Exception {
        long before = inbox.changes();
        var answer = ask(ONE, "/q/a");
        long asked = inbox.changes();
        assertThat(asked).isNotEqualTo(before);
        answer(inbox.waiting().getFirst(), Choice.NO);
        answer.get();
        assertThat(inbox.changes()).isNotEqualTo(asked);
    }

    @Test
    void who_wants_nobody_to_be_asked_is_told_at_once() throws Exception {
        patience = Duration.ZERO;
        open(ONE);
        assertThat(ask(ONE, "/q/a").get()).isEqualTo(new Answer.NotAsked("nobody is there to ask"));
    }
}
