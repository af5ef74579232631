// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The processes of a sandbox, as far as the threads that act for it have to know of each other.
final class Tree {
    /// Every task that lives in it.
    final Set<Integer> members = ConcurrentHashMap.newKeySet();

    /// Those of them that are about to end, and whose accounts have been closed.
    final Set<Integer> leaving = ConcurrentHashMap.newKeySet();

    /// The path of its terminal; empty if it has none.
    final String terminal;

    /// The first task, until it has become the program: what it does until then is what we have
    /// told it to do, in memory that is ours.
    private volatile int beginner;

    Tree(String terminal) {
        this.terminal = terminal;
    }

    void begins(int task) {
        beginner = task;
    }

    /// The first task has become the program.
    void hasBegun(int task) {
        if (task == beginner) {
            beginner = 0;
        }
    }

    boolean isBeginner(int task) {
        return task != 0 && task == beginner;
    }
}
