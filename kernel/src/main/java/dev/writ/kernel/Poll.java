// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/// poll(2): waits until one of many descriptors has something to read, or has lost its other end.
public final class Poll {
    private static final short POLLIN = 1;
    private static final short POLLHUP = 0x10;
    private static final int ENTRY = 8;

    private final Kernel kernel;
    private final int most;
    private final MemorySegment entries;
    private final MemorySegment timeout;

    public Poll(Kernel kernel, int most) {
        this.kernel = kernel;
        this.most = most;
        this.entries = kernel.memory((long) ENTRY * most);
        this.timeout = kernel.memory(16);
    }

    /// Waits for one of `descriptors`; ask [#isReady] afterwards.
    ///
    /// @param milliseconds how long; negative for ever
    /// @throws IllegalArgumentException if there are too many
    public void await(int[] descriptors, long milliseconds) {
        if (descriptors.length > most) {
            throw new IllegalArgumentException("at most " + most + " descriptors");
        }
        for (int i = 0; i < descriptors.length; i++) {
            // struct pollfd { int fd; short events, revents; }
            entries.set(JAVA_INT, (long) ENTRY * i, descriptors[i]);
            entries.set(JAVA_SHORT, (long) ENTRY * i + 4, POLLIN);
            entries.set(JAVA_SHORT, (long) ENTRY * i + 6, (short) 0);
        }
        timeout.set(JAVA_LONG, 0, milliseconds / 1000);
        timeout.set(JAVA_LONG, 8, milliseconds % 1000 * 1_000_000);
        kernel.call(
                Call.PPOLL.number(),
                entries.address(),
                descriptors.length,
                milliseconds < 0 ? 0 : timeout.address(),
                0,
                0);
    }

    /// Whether the descriptor at `index` was ready.
    public boolean isReady(int index) {
        return events(index) != 0;
    }

    /// Whether the other end of the descriptor at `index` was closed.
    public boolean isAlone(int index) {
        return (events(index) & POLLHUP) != 0;
    }

    private short events(int index) {
        return entries.get(JAVA_SHORT, (long) ENTRY * index + 6);
    }
}
