// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Request;
import dev.writ.core.policy.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// While the operator thinks about a question: who it is that asks, and what the others do.
@Timeout(120)
class AskIT {
    private static final String ASKS_FOR_A_FILE = "cat asked";
    private static final String ASKS_FOR_A_PROGRAM = "env true";

    @TempDir Path temporary;
    private Confined confined;
    private final Operator operator = new Operator();

    /// Answers when the test says so.
    private static final class Operator implements Approver {
        private final LinkedBlockingQueue<Request> questions = new LinkedBlockingQueue<>();
        private final Semaphore answers = new Semaphore(0);

        @Override
        public Answer ask(Request request, Rule rule) {
            questions.add(request);
            answers.acquireUninterruptibly();
            return new Answer.Approved("the test");
        }

        Request question() throws InterruptedException {
            var question = questions.poll(60, TimeUnit.SECONDS);
            assertThat(question).as("a question").isNotNull();
            return question;
        }

        void approve() {
            answers.release();
        }
    }

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary).ask(operator, "read:./asked", "exec:/usr/bin/env");
        Files.writeString(confined.work.resolve("asked"), "told");
        Files.writeString(confined.work.resolve("note"), "");
    }

    private CompletableFuture<Confined.Result> start(String script) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return confined.sh(script);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {ASKS_FOR_A_FILE, ASKS_FOR_A_PROGRAM})
    void siblings_go_on_while_one_waits(String asks) throws Exception {
        var run =
                start(
                        asks
                                + " & cat note; cp note copied; sh -c 'mv copied moved'; wait $!; echo code $?");
        operator.question();
        await(() -> Files.exists(confined.work.resolve("moved")));

        assertThat(run).isNotDone();
        operator.approve();

        assertThat(run.get(60, TimeUnit.SECONDS).output()).contains("code 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {ASKS_FOR_A_FILE, ASKS_FOR_A_PROGRAM})
    void who_asks_is_the_process_and_its_parents_up_to_the_first(String asks) throws Exception {
        var run = start("sh -c '" + asks + "; true' my-name 'two words'; true");
        var lineage = operator.question().asker().lineage();
        operator.approve();
        run.get(60, TimeUnit.SECONDS);

        assertThat(lineage).hasSize(3);
        assertThat(lineage.getFirst().command()).isEqualTo(List.of(asks.split(" ")));
        assertThat(lineage.getFirst().program()).endsWith(asks.substring(0, 3));
        assertThat(lineage.get(1).command())
                .containsExactly("sh", "-c", asks + "; true", "my-name", "two words");
        assertThat(lineage.getLast().command()).startsWith("/bin/sh", "-c");
        assertThat(lineage).extracting(Asker.Task::number).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(strings = {ASKS_FOR_A_FILE, ASKS_FOR_A_PROGRAM})
    void one_that_dies_while_it_waits_is_known_to_be_gone(String asks) throws Exception {
        var run =
                start(
                        asks
                                + " & echo $! > number; while ! test -e go; do sleep 0.1; done;"
                                + " kill -9 $!; wait $!; echo code $?");
        var asker = operator.question().asker();

        assertThat(asker.isWaiting()).isTrue();
        Files.writeString(confined.work.resolve("go"), "");
        await(() -> !asker.isWaiting());

        assertThat(asker.lineage()).isEmpty();
        operator.approve();
        assertThat(run.get(60, TimeUnit.SECONDS).output())
                .contains("code 137")
                .doesNotContain("told");
    }

    /// It is traced, so the kernel does not end it while it waits; nor would an answer matter.
    @ParameterizedTest
    @ValueSource(strings = {ASKS_FOR_A_FILE, ASKS_FOR_A_PROGRAM})
    void one_that_is_told_to_end_while_it_waits_waits_no_more(String asks) throws Exception {
        var run =
                start(
                        asks
                                + " & for s in WINCH CHLD TERM; do"
                                + " while ! test -e $s; do sleep 0.1; done; kill -$s $!;"
                                + " echo > sent-$s; done; wait $!; echo code $?");
        var asker = operator.question().asker();
        for (var harmless : List.of("WINCH", "CHLD")) {
            Files.writeString(confined.work.resolve(harmless), "");
            await(() -> Files.exists(confined.work.resolve("sent-" + harmless)));
            assertThat(asker.isWaiting()).isTrue();
        }
        Files.writeString(confined.work.resolve("TERM"), "");
        await(() -> !asker.isWaiting());

        operator.approve();
        assertThat(run.get(60, TimeUnit.SECONDS).output())
                .contains("code 143")
                .doesNotContain("told");
    }

    @Test
    void one_that_takes_no_notice_of_a_signal_waits_on() throws Exception {
        var run =
                start(
                        "(trap '' TERM; exec "
                                + ASKS_FOR_A_FILE
                                + ") & while ! test -e go; do sleep 0.1; done;"
                                + " kill -TERM $!; echo > sent; wait $!; echo code $?");
        var asker = operator.question().asker();
        Files.writeString(confined.work.resolve("go"), "");
        await(() -> Files.exists(confined.work.resolve("sent")));

        assertThat(asker.isWaiting()).isTrue();
        operator.approve();
        assertThat(run.get(60, TimeUnit.SECONDS).output()).contains("told").contains("code 0");
    }

    @Test
    void a_thread_is_shown_as_its_process() throws Exception {
        var program =
                confined.compile(
                        "threads",
                        """
                        static void *run(void *none) { say("open", open("asked", O_RDONLY)); return 0; }
                        int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }
                        """);
        var run = start(program + " a b; true");
        var lineage = operator.question().asker().lineage();
        operator.approve();
        run.get(60, TimeUnit.SECONDS);

        assertThat(lineage).hasSize(2);
        assertThat(lineage.getFirst().program()).isEqualTo(program.toString());
        assertThat(lineage.getFirst().command()).endsWith("a", "b");
    }

    private Asker.Circumstances around(String script) throws Exception {
        var run = start(script);
        var around = operator.question().asker().circumstances();
        operator.approve();
        run.get(60, TimeUnit.SECONDS);
        return around;
    }

    @ParameterizedTest
    @ValueSource(strings = {ASKS_FOR_A_FILE, ASKS_FOR_A_PROGRAM})
    void where_it_asks_and_what_it_reads_is_known(String asks) throws Exception {
        String asked = asks.replace(" asked", " " + confined.work.resolve("asked"));
        Files.createDirectories(confined.work.resolve("sub"));
        var here = around(asked + "; true");
        assertThat(here.folder()).isEqualTo(confined.work.toString());
        assertThat(here.input()).isEqualTo("a stream");
        assertThat(here.variables()).contains("PATH").doesNotContain("EXTRA");

        var there = around("cd sub; " + asked + "; true");
        assertThat(there.folder()).isEqualTo(confined.work.resolve("sub").toString());
        assertThat(around("EXTRA=1 " + asked + "; true").variables()).contains("EXTRA");
        assertThat(around(asked + " < note; true").input())
                .startsWith("file of ")
                .endsWith(": " + confined.work.resolve("note"));
        assertThat(around(asked + " <&-; true").input()).startsWith("none");
        assertThat(around("echo x | " + asked + "; true").input()).startsWith("a stream: pipe:");
    }

    @ParameterizedTest
    @ValueSource(strings = {ASKS_FOR_A_FILE, ASKS_FOR_A_PROGRAM})
    void a_folder_that_was_removed_is_like_no_other(String asks) throws Exception {
        String asked = asks.replace(" asked", " " + confined.work.resolve("asked"));
        String removed = "(mkdir gone; cd gone; rmdir ../gone; " + asked + ") & wait $!; ";
        String imitated = "mkdir 'gone (deleted)'; cd 'gone (deleted)'; " + asked + "; true";
        var run = start("{ " + removed + "} & " + imitated + "; wait");
        var around = new ArrayList<Asker.Circumstances>();
        for (int i = 0; i < 2; i++) {
            around.add(operator.question().asker().circumstances());
        }
        for (int i = 0; i < 2; i++) {
            operator.approve();
        }
        run.get(60, TimeUnit.SECONDS);

        assertThat(around)
                .extracting(Asker.Circumstances::folder)
                .containsOnly(confined.work.resolve("gone (deleted)").toString());
        assertThat(around).extracting(Asker.Circumstances::identity).doesNotHaveDuplicates();
    }

    /// The folder of a process belongs to whoever it was made with in common.
    @Test
    void a_folder_that_is_changed_from_outside_while_it_waits_does_not_count() throws Exception {
        Files.createDirectories(confined.work.resolve("sub"));
        var program =
                confined.compile(
                        "shared",
                        """
                        static char stack[65536];
                        static int asks(void *word) { char *w[] = {"env", "true", 0}; (void) word; execv("/usr/bin/env", w); return 9; }
                        int main(int n, char **words) {
                            int s = 0;
                            pid_t p = clone(asks, stack + sizeof stack, CLONE_FS | SIGCHLD, 0);
                            for (int i = 0; i < 3000 && access("go", F_OK); i++) usleep(10000);
                            if (n > 1) say("chdir", chdir("sub"));
                            int done = open(n > 1 ? "../done" : "done", O_CREAT | O_WRONLY, 0600); close(done);
                            waitpid(p, &s, 0); printf("code %d\\n", WEXITSTATUS(s)); return 0;
                        }
                        """);
        for (var moves : List.of("", "moves")) {
            Files.deleteIfExists(confined.work.resolve("go"));
            Files.deleteIfExists(confined.work.resolve("done"));
            var run = start(program + " " + moves + "; true");
            operator.question();
            Files.writeString(confined.work.resolve("go"), "");
            await(() -> Files.exists(confined.work.resolve("done")));
            operator.approve();
            assertThat(run.get(60, TimeUnit.SECONDS).output())
                    .contains(moves.isEmpty() ? "code 0" : "code 126");
        }
    }

    /// Who holds something may have a copy of it, whatever the operator says; but of that only. By
    /// then the number may be that of something else, and of somebody else.
    @Test
    void a_number_that_means_something_else_after_the_answer_gives_nothing() throws Exception {
        var answers = new ArrayList<Approver.Answer>();
        Approver once =
                (_, _) -> {
                    answers.add(
                            answers.isEmpty()
                                    ? new Approver.Answer.Approved("the test")
                                    : new Approver.Answer.Refused("the test"));
                    try {
                        Thread.sleep(answers.size() == 1 ? 0 : 1000);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    return answers.getLast();
                };
        confined.ask(once, "read:./asked");
        var program =
                confined.compile(
                        "exchanges",
                        """
                        static int held;
                        static void *exchange(void *with) {
                            if (!with) return 0;
                            usleep(300000);
                            dup2(open("note", O_RDONLY), held);
                            return 0;
                        }
                        int main(int count, char **words) {
                            char again[64];
                            pthread_t other;
                            held = open("asked", O_RDONLY);
                            sprintf(again, "/proc/self/fd/%d", held);
                            pthread_create(&other, 0, exchange, count > 1 ? words[1] : 0);
                            say("again", open(again, O_RDONLY));
                            pthread_join(other, 0);
                        }
                        """);

        assertThat(confined.run(program).output()).isEqualTo("again ok\n");
        answers.clear();
        assertThat(confined.run(program, "other").output()).isEqualTo("again EACCES\n");
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) throws InterruptedException {
        for (int i = 0; i < 3000 && !condition.holds(); i++) {
            Thread.sleep(10);
        }
        assertThat(condition.holds()).isTrue();
    }
}
