// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import java.util.Arrays;
import java.util.concurrent.locks.Condition;

/// Records that go to the disk together.
final class Batch {
    final Segment segment;

    /// Whether the segment begins with this.
    final boolean opens;

    /// Is signalled when it is on the disk.
    final Condition done;

    private byte[] bytes;
    private int length;

    Batch(Segment segment, boolean opens, byte[] room, Condition done) {
        this.segment = segment;
        this.opens = opens;
        this.done = done;
        this.bytes = room;
        if (opens) {
            reserve(Segment.HEAD);
            System.arraycopy(segment.head(), 0, bytes, 0, Segment.HEAD);
            length = Segment.HEAD;
        }
    }

    void add(long index, long durable, byte[] entry) {
        int more = Segment.BEFORE + entry.length;
        reserve(more);
        segment.write(index, durable, entry, bytes, length);
        length += more;
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    int length() {
        return length;
    }

    byte[] bytes() {
        return bytes;
    }
}
