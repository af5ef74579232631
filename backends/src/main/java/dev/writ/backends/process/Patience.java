// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Notifications.Notification;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// Who may wait for a call that cannot be answered at once. There is a thread for each, since none
/// may hold up another: two that open the ends of one pipe wait for each other. Only beyond a
/// number that hardly any program has of its own do they take turns.
///
/// Each call holds up a thread of the sandbox, so there are never more than its limits let it have.
final class Patience {
    private static final int MOST_THREADS = 1_000;

    private final Queue<Notification> turns = new ArrayDeque<>();
    private int threads;

    /// Whether there may be another thread, for `call`. If not, one that is there takes it later.
    synchronized boolean enter(Notification call) {
        if (threads < MOST_THREADS) {
            threads++;
            return true;
        }
        turns.add(call);
        return false;
    }

    /// What a thread does that has answered its call; null if it ends.
    synchronized @Nullable Notification next() {
        var next = turns.poll();
        if (next == null) {
            threads--;
        }
        return next;
    }

    /// A thread could not begin. Those that nobody is left for then are given back.
    synchronized List<Notification> leave() {
        threads--;
        if (threads > 0) {
            return List.of();
        }
        var left = List.copyOf(turns);
        turns.clear();
        return left;
    }
}
