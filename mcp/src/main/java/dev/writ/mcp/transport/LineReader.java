// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Lines of bytes, of which none gets longer than it may.
final class LineReader {
    private final InputStream in;
    private final int most;
    private final byte[] buffer = new byte[64 * 1024];
    private int start;
    private int end;

    LineReader(InputStream in, int most) {
        this.in = in;
        this.most = most;
    }

    /// A line without its end.
    ///
    /// @param tooLong whether it had more bytes than it may; then it is empty
    record Line(byte[] bytes, boolean tooLong) {}

    /// The next one; empty at the end.
    Optional<Line> next() throws IOException {
        var line = new ByteArrayOutputStream();
        boolean tooLong = false;
        while (true) {
            if (start == end) {
                end = Math.max(0, in.read(buffer));
                start = 0;
                if (end == 0) {
                    return Optional.empty(); // what has no end may not be whole
                }
            }
            int stop = start;
            while (stop < end && buffer[stop] != '\n') {
                stop++;
            }
            tooLong = tooLong || line.size() + stop - start > most;
            if (tooLong) {
                line.reset();
            } else {
                line.write(buffer, start, stop - start);
            }
            boolean whole = stop < end;
            start = whole ? stop + 1 : stop;
            if (whole) {
                return Optional.of(new Line(line.toByteArray(), tooLong));
            }
        }
    }
}
