// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent.Term;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver.Answer;
import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Request;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.runtime.policy.Approvals;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DeskTest {
    private static final Rule RULE =
            Rule.parse(Effect.ASK, "read:/q", Scope.SPELLED_OUT, Source.of("test"));

    @TempDir Path temporary;
    private final Person person = new Person();
    private Desk desk;

    /// Sees each question, and says what the test says.
    private static final class Person implements Operator {
        final LinkedBlockingQueue<Question> seen = new LinkedBlockingQueue<>();
        final LinkedBlockingQueue<Choice> answers = new LinkedBlockingQueue<>();
        final List<String> told = new ArrayList<>();

        @Override
        public String name() {
            return "anna";
        }

        @Override
        public Reply ask(Question question) {
            seen.add(question);
            try {
                return new Reply.Chosen(answers.take());
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void tell(String line) {
            told.add(line);
        }
    }

    @BeforeEach
    void given() throws Exception {
        temporary = temporary.toRealPath();
        desk = desk();
    }

    private Desk desk() {
        var approvals =
                Approvals.of(
                        FilePath.of(temporary.resolve("state").toString()),
                        Path.of("/p/writ.yaml"),
                        Scope.SPELLED_OUT);
        return new Desk(person, approvals, InstantSource.fixed(Instant.EPOCH));
    }

    private static Request request(String name) {
        return request(name, Asker.UNKNOWN);
    }

    private static Request request(String name, Asker asker) {
        return new Request(
                new SessionId("s"), new Action.ReadFile(FilePath.of("/q/" + name)), asker);
    }

    private Answer ask(String name) {
        return desk.ask(request(name), RULE);
    }

    private CompletableFuture<Answer> askAside(String name) {
        var answer = new CompletableFuture<Answer>();
        Thread.ofVirtual().start(() -> answer.complete(ask(name)));
        return answer;
    }

    @Test
    void once_is_once() {
        person.answers.addAll(List.of(Choice.ONCE, Choice.NO));

        assertThat(ask("a")).isEqualTo(new Answer.Approved("anna"));
        assertThat(ask("a")).isEqualTo(new Answer.Refused("anna"));
    }

    @Test
    void this_run_is_for_the_same_action_in_this_run() {
        person.answers.addAll(List.of(Choice.THIS_RUN, Choice.NO, Choice.NO));

        assertThat(ask("a")).isEqualTo(new Answer.Approved("anna", Term.SESSION));
        assertThat(ask("a")).isEqualTo(new Answer.Approved("anna", Term.SESSION));
        assertThat(ask("b")).isInstanceOf(Answer.Refused.class);
        desk = desk();
        assertThat(ask("a")).isInstanceOf(Answer.Refused.class);
    }

    @Test
    void always_is_for_the_next_run_too_and_says_where_it_is_kept() {
        person.answers.addAll(List.of(Choice.ALWAYS, Choice.NO));

        assertThat(ask("a")).isInstanceOf(Answer.Approved.class);
        desk = desk();
        assertThat(ask("a").toString())
                .contains("remembered approval " + temporary)
                .contains(".yaml:6 (1970-01-01T00:00:00Z anna)");
        assertThat(ask("b")).isInstanceOf(Answer.Refused.class);
        assertThat(person.seen).hasSize(2);
    }

    @Test
    void the_line_that_would_be_kept_is_known_before() {
        person.answers.add(Choice.NO);

        ask("a");

        assertThat(person.seen.poll().remembered()).isEqualTo("read:/q/a");
    }

    @Test
    void what_cannot_be_kept_is_approved_for_this_run_and_said() throws Exception {
        person.answers.add(Choice.ALWAYS);
        Files.writeString(temporary.resolve("state"), "in the way");

        assertThat(ask("a")).isEqualTo(new Answer.Approved("anna", Term.SESSION));
        assertThat(person.told).singleElement().asString().contains("could not be kept");
        assertThat(ask("a")).isEqualTo(new Answer.Approved("anna", Term.SESSION));
    }

    @Test
    void no_to_all_is_heard_by_those_who_wait_and_those_who_come() throws Exception {
        var answers = List.of("a", "b", "c").stream().map(this::askAside).toList();
        person.seen.take();
        person.answers.add(Choice.NO_TO_ALL);

        for (var answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS))
                    .isEqualTo(new Answer.Refused("anna, to all questions", Term.SESSION));
        }
        assertThat(ask("d")).isEqualTo(new Answer.Refused("anna, to all questions", Term.SESSION));
        assertThat(person.seen).isEmpty();
    }

    @Test
    void the_same_question_of_several_is_asked_once_but_who_comes_later_was_not_meant()
            throws Exception {
        var first = askAside("first");
        person.seen.take();
        var same = List.of(askAside("a"), askAside("a"), askAside("a"));
        await(() -> waiting(same) == 3);
        person.answers.add(Choice.NO);
        first.join();
        var shown = person.seen.take();
        assertThat(shown.askers()).hasSize(3);
        var late = askAside("a");
        await(() -> shown.others().getAsInt() == 1);
        person.answers.add(Choice.ONCE);
        for (var answer : same) {
            assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(new Answer.Approved("anna"));
        }
        assertThat(person.seen.take().askers()).hasSize(1);
        person.answers.add(Choice.NO);
        assertThat(late.get(30, TimeUnit.SECONDS)).isEqualTo(new Answer.Refused("anna"));
    }

    @Test
    void a_yes_for_one_folder_is_none_for_another() throws Exception {
        var first = askAside("first");
        person.seen.take();
        var here = askAside("a", "/w");
        var same = askAside("a", "/w");
        var there = askAside("a", "/v");
        await(() -> waiting(List.of(here, same, there)) == 3);
        person.answers.add(Choice.NO);
        first.join();

        var shown = person.seen.take();
        boolean isHere = shown.circumstances().folder().equals("/w");
        assertThat(shown.askers()).hasSize(isHere ? 2 : 1);
        person.answers.add(Choice.ONCE);
        assertThat(person.seen.take().circumstances()).isNotEqualTo(shown.circumstances());
        person.answers.add(Choice.NO);

        var yes = new Answer.Approved("anna");
        var no = new Answer.Refused("anna");
        assertThat(here.get(30, TimeUnit.SECONDS)).isEqualTo(isHere ? yes : no);
        assertThat(same.get(30, TimeUnit.SECONDS)).isEqualTo(isHere ? yes : no);
        assertThat(there.get(30, TimeUnit.SECONDS)).isEqualTo(isHere ? no : yes);
    }

    private CompletableFuture<Answer> askAside(String name, String folder) {
        var asker = new AskerAt(folder, "nothing");
        var answer = new CompletableFuture<Answer>();
        Thread.ofVirtual().start(() -> answer.complete(desk.ask(request(name, asker), RULE)));
        return answer;
    }

    private long waiting(List<CompletableFuture<Answer>> some) throws InterruptedException {
        Thread.sleep(100); // so that all have come, if they come
        return some.stream().filter(s -> !s.isDone()).count();
    }

    @Test
    void only_so_many_wait() throws Exception {
        var answers = new ArrayList<CompletableFuture<Answer>>();
        for (int i = 0; i < 48; i++) {
            answers.add(askAside("q" + i));
        }
        var first = person.seen.take();
        await(() -> first.others().getAsInt() == 47);

        assertThat(ask("one more")).isInstanceOf(Answer.NotAsked.class);
        person.answers.add(Choice.NO_TO_ALL);
        for (var answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS)).isInstanceOf(Answer.Refused.class);
        }
    }

    @Test
    void nobody_is_asked_for_one_who_is_gone() {
        var gone =
                new Asker() {
                    @Override
                    public List<Task> lineage() {
                        return List.of();
                    }

                    @Override
                    public boolean isWaiting() {
                        return false;
                    }
                };

        assertThat(desk.ask(request("a", gone), RULE)).isInstanceOf(Answer.NotAsked.class);
        assertThat(person.seen).isEmpty();
    }

    private interface Condition {
        boolean holds() throws InterruptedException;
    }

    private static void await(Condition condition) throws InterruptedException {
        for (int i = 0; i < 500 && !condition.holds(); i++) {
            Thread.sleep(10);
        }
        assertThat(condition.holds()).isTrue();
    }
}
