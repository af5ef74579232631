// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/// The confined place where an agent's processes run.
public interface Sandbox extends AutoCloseable {
    /// What the program reads. Empty and closed unless its streams are piped.
    OutputStream input();

    /// What the program writes.
    InputStream output();

    InputStream errors();

    /// Waits until nothing of the sandbox runs any more, and gives the exit code of its program:
    /// its own, or 128 and the signal that ended it; 124 if its time was over. What the program
    /// left behind is ended with it.
    int await() throws InterruptedException;

    /// The limits that it has reached so far.
    List<ReachedLimit> reached();

    /// Tells the program that its terminal has another size. Without one nothing happens.
    ///
    /// @param size as the kernel has it: rows, columns, and the same in pixels
    void resize(byte[] size);

    /// Sends a signal to the program and those that it shares its terminal's attention with.
    void signal(int number);

    /// Does `action` whenever the program has been stopped by a signal or a key. It must not wait.
    void whenStopped(Runnable action);

    /// Ends everything in it at once.
    void stop();

    /// Ends everything in it, and waits until it is gone.
    @Override
    void close();
}
