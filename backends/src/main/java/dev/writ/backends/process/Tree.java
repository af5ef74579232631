// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.audit.SessionId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The processes of a sandbox, as far as the threads that act for it have to know of each other.
final class Tree {
    /// Every task that lives in it.
    final Set<Integer> members = ConcurrentHashMap.newKeySet();

    /// Those of them that are about to end, and whose accounts have been closed.
    final Set<Integer> leaving = ConcurrentHashMap.newKeySet();

    /// Processes that have ended, and that their parents may not have taken note of.
    final Set<Integer> unburied = ConcurrentHashMap.newKeySet();

    /// The path of its terminal; empty if it has none.
    final String terminal;

    /// That one, and those that it has made.
    final Terminals terminals = new Terminals();

    /// What its first program reads.
    final FirstInput input;

    /// The sockets that it and other sandboxes have made.
    final OwnSockets sockets;

    final SessionId session;

    /// What somebody in it has tried that is not there.
    final Set<Absent> missed = ConcurrentHashMap.newKeySet();

    /// The first task, until it has become the program: what it does until then is what we have
    /// told it to do, in memory that is ours.
    private volatile int beginner;

    Tree(String terminal, FirstInput input, OwnSockets sockets, SessionId session) {
        this.terminal = terminal;
        this.input = input;
        this.sockets = sockets;
        this.session = session;
    }

    void begins(int task) {
        beginner = task;
    }

    /// Whether it was the first task that has become the program just now.
    boolean hasBegun(int task) {
        if (!isBeginner(task)) {
            return false;
        }
        beginner = 0;
        return true;
    }

    boolean isBeginner(int task) {
        return task != 0 && task == beginner;
    }
}
