// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntUnaryOperator;

/// What a sandbox writes, as far as it may write that much: then it is at its end.
final class CountedInput extends FilterInputStream {
    private final IntUnaryOperator pass;

    /// @param pass how many of so many bytes may pass
    CountedInput(InputStream in, IntUnaryOperator pass) {
        super(in);
        this.pass = pass;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        int read = in.read(to, offset, length);
        if (read <= 0) {
            return read;
        }
        int passed = pass.applyAsInt(read);
        return passed == 0 ? -1 : passed;
    }

    @Override
    public long skip(long count) throws IOException {
        return read(new byte[Math.clamp(count, 0, 8192)]);
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
