// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

import java.io.InputStream;
import java.io.OutputStream;

/// The confined place where an agent's processes run.
public interface Sandbox extends AutoCloseable {
    /// What the program reads. Empty and closed unless its streams are piped.
    OutputStream input();

    /// What the program writes.
    InputStream output();

    InputStream errors();

    /// Waits until nothing of the sandbox runs any more, and gives the exit code of its program:
    /// its own, or 128 and the signal that ended it. What the program left behind is ended with it.
    int await() throws InterruptedException;

    /// Ends everything in it at once.
    void stop();

    /// Ends everything in it, and waits until it is gone.
    @Override
    void close();
}
