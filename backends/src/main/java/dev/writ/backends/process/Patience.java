// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Notifications.Notification;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Who may wait for a call that cannot be answered at once. There is a thread for each, since none
/// may hold up another: two that open the ends of one pipe wait for each other. Only beyond a
/// number that hardly any program has of its own do they take turns.
///
/// Each call holds up a thread of the sandbox, so there are never more than its limits let it have.
/// Yet one that waits for something of the kernel's may outlive its command, so they are counted
/// for the session.
final class Patience {
    static final int MOST_THREADS = 1_000;

    /// When a call is answered.
    enum Turn {
        /// By a thread of its own.
        NOW,
        /// By one that is there already, as soon as it has answered its own.
        LATER,
        /// The session has all its threads, and none of them is here.
        NEVER
    }

    private final AtomicInteger all;
    private final Queue<Notification> turns = new ArrayDeque<>();
    private int own;

    /// @param all threads of the session that wait, in each of its commands
    Patience(AtomicInteger all) {
        this.all = all;
    }

    synchronized Turn enter(Notification call) {
        if (all.incrementAndGet() <= MOST_THREADS) {
            own++;
            return Turn.NOW;
        }
        all.decrementAndGet();
        if (own == 0) {
            return Turn.NEVER;
        }
        turns.add(call);
        return Turn.LATER;
    }

    /// What a thread does that has answered its call; null if it ends.
    synchronized @Nullable Notification next() {
        var next = turns.poll();
        if (next == null) {
            end();
        }
        return next;
    }

    /// A thread could not begin. Those that nobody is left for then are given back.
    synchronized List<Notification> leave() {
        end();
        if (own > 0) {
            return List.of();
        }
        var left = List.copyOf(turns);
        turns.clear();
        return left;
    }

    private void end() {
        own--;
        all.decrementAndGet();
    }
}
