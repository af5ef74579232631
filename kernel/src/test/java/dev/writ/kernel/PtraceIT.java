// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.kernel.Notifications.Received;
import dev.writ.kernel.Ptrace.Event;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Follows a shell and its children.
@Timeout(60)
class PtraceIT {
    private static final int SIGCONT = 18;

    @TempDir Path folder;

    /// What happens to a child of the shell, and its birth.
    private interface Handler {
        void handle(Ptrace ptrace, Event event, int task);
    }

    /// Lets a shell run `script` to the end, and gives what it wrote.
    private String run(String script, Handler handler) {
        try (var child = new Child(folder, script, Spawn.GATE)) {
            var ptrace = new Ptrace(child.kernel);
            // It waits before it has begun.
            assertThat(child.notifications.await()).isTrue();
            assertThat(child.notifications.receive()).isEqualTo(Received.A_CALL);
            var call = child.notifications.notification();
            assertThat(ptrace.seize(call.task())).isZero();
            child.notifications.answer(call.id(), 0);
            follow(ptrace, call.task(), handler);
            child.setReaped();
            return child.output();
        }
    }

    private static void follow(Ptrace ptrace, int first, Handler handler) {
        for (int task = ptrace.await(true); task > 0; task = ptrace.await(true)) {
            var event = ptrace.event();
            if (task != first || event == Event.BIRTH) {
                handler.handle(ptrace, event, task);
            }
            switch (event) {
                case ENDED -> {}
                case SIGNAL -> ptrace.resume(task, ptrace.signal());
                case GROUP_STOP -> ptrace.leaveStopped(task);
                case EXEC, BIRTH, EXIT, CALL, OTHER -> ptrace.resume(task, 0);
            }
        }
    }

    @Test
    void a_child_is_born_becomes_a_program_and_ends() {
        var births = new HashSet<Integer>();
        var tasks = new HashSet<Integer>();
        var events = new ArrayList<Event>();

        String output =
                run(
                        "sh -c 'exit 7'; echo $?",
                        (ptrace, event, task) -> {
                            if (event == Event.BIRTH) {
                                births.add(ptrace.message(task));
                            } else {
                                tasks.add(task); // its first stop may be told before its birth
                                events.add(event);
                            }
                            if (event == Event.ENDED) {
                                assertThat(ptrace.exitCode()).isEqualTo(7);
                            }
                        });

        assertThat(output).isEqualTo("7\n");
        assertThat(tasks).hasSize(1).isEqualTo(births);
        assertThat(events).contains(Event.EXEC).endsWith(Event.ENDED);
    }

    @Test
    void who_is_ended_at_its_exec_runs_nothing_of_the_program() {
        String output =
                run(
                        "/bin/echo no; echo $?",
                        (ptrace, event, task) -> {
                            if (event == Event.EXEC) {
                                ptrace.exit(task, 126);
                            }
                        });

        assertThat(output).isEqualTo("126\n");
    }

    @Test
    void who_is_killed_ends_with_its_signal() {
        var codes = new ArrayList<Integer>();

        String output =
                run(
                        "sh -c 'kill -9 $$' 2>/dev/null; echo $?",
                        (ptrace, event, _) -> {
                            if (event == Event.ENDED) {
                                codes.add(ptrace.exitCode());
                            }
                        });

        assertThat(output).endsWith("137\n");
        assertThat(codes).isEqualTo(List.of(137));
    }

    @Test
    void who_stops_itself_stays_stopped_until_it_is_continued() {
        var events = new ArrayList<Event>();

        String output =
                run(
                        "sh -c 'kill -STOP $$; echo on'; echo $?",
                        (_, event, task) -> {
                            events.add(event);
                            if (event == Event.GROUP_STOP) {
                                continueFromOutside(task);
                            }
                        });

        assertThat(output).isEqualTo("on\n0\n");
        assertThat(events).containsOnlyOnce(Event.GROUP_STOP);
    }

    private static void continueFromOutside(int task) {
        try (var kernel = new Kernel()) {
            Ptrace.kill(kernel, task, SIGCONT);
        }
    }

    @Test
    void a_number_that_stands_for_several_processes_is_not_signalled() {
        try (var kernel = new Kernel()) {
            assertThat(Ptrace.kill(kernel, 0, 0)).isEqualTo(-Errno.ESRCH);
            assertThat(Ptrace.kill(kernel, -1, 0)).isEqualTo(-Errno.ESRCH);
        }
    }
}
