// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.backends.process.Patience.Turn;
import dev.writ.kernel.Notifications.Notification;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private final AtomicInteger all = new AtomicInteger();
    private final Patience patience = new Patience(all);

    private static Notification call(int number) {
        return new Notification(number, number, 0, new long[6]);
    }

    /// Takes every thread there may be, and gives how many those are.
    private int fill() {
        int many = 0;
        while (patience.enter(call(many)) == Turn.NOW) {
            many++;
        }
        return many; // the last one waits for its turn
    }

    @Test
    void beyond_all_threads_calls_take_turns_and_none_is_lost() {
        int many = fill();
        assertThat(patience.enter(call(many + 1))).isEqualTo(Turn.LATER);

        assertThat(patience.next()).isNotNull().extracting(Notification::task).isEqualTo(many);
        assertThat(patience.next()).isNotNull().extracting(Notification::task).isEqualTo(many + 1);
        assertThat(patience.next()).isNull();
        assertThat(patience.enter(call(0))).as("one has ended").isEqualTo(Turn.NOW);
    }

    @Test
    void whoever_nobody_is_left_for_is_given_back() {
        int many = fill();

        for (int i = 1; i < many; i++) {
            assertThat(patience.leave()).isEmpty();
        }
        assertThat(patience.leave()).extracting(Notification::task).containsExactly(many);
        assertThat(patience.leave()).as("once").isEmpty();
    }

    @Test
    void another_command_of_the_session_has_none_that_it_could_wait_for() {
        fill();

        assertThat(new Patience(all).enter(call(0))).isEqualTo(Turn.NEVER);
        assertThat(new Patience(new AtomicInteger()).enter(call(0))).isEqualTo(Turn.NOW);
    }
}
