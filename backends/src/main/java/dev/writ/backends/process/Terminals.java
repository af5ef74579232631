// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Terminal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/// The terminals of a sandbox: the one that it was given, and those that it has made. To a policy
/// they are `/dev/tty`, whatever their numbers. Any other is one that somebody sits at: who reads
/// it gets what is typed, and who writes to it draws on the screen.
final class Terminals {
    static final FilePath OWN = FilePath.of("/dev/tty");

    /// No clock of the kernel's stands still for longer.
    private static final long TICK = 20_000_000; // nanoseconds

    /// When each was made, by its number. The numbers are used again, for terminals of others.
    private final Map<Node, Long> made = new ConcurrentHashMap<>();

    private record Node(long device, long inode) {
        static Node of(FileCalls files) {
            return new Node(files.device(), files.inode());
        }
    }

    /// What we hold ourselves for as long as the sandbox lives.
    void addGiven(Kernel kernel, String terminal) {
        var files = new FileCalls(kernel);
        if (!terminal.isEmpty() && files.lookAt(Walker.bytes(terminal)) == 0) {
            add(files);
        }
    }

    /// A process has made a terminal, and `master` is our descriptor of it, which it does not have
    /// yet. Takes a moment.
    void addMade(Worker worker, int master) {
        int other = new Terminal(worker.kernel).handle(master);
        if (other < 0) {
            return;
        }
        worker.keep(other);
        if (worker.files.look(other) == 0) {
            add(worker.files);
        }
        // ORDER: while we have it, nobody else gets its number; afterwards somebody may, but not at
        // the time that is kept here.
        long end = System.nanoTime() + TICK;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(this, TICK);
        }
    }

    /// Nothing but its making changes this time: inside, attributes of devices cannot be changed.
    private void add(FileCalls files) {
        made.put(Node.of(files), files.changed());
    }

    /// Whether the object that `files` has just looked at is one of them.
    boolean contains(FileCalls files) {
        var then = made.get(Node.of(files));
        return then != null && then == files.changed();
    }
}
