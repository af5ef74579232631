// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// read(2) and write(2) as Java's streams, for descriptors that Java has no name for. Each stream
/// belongs to the thread that uses it first; any thread may close it.
public final class Streams {
    private static final int BUFFER = 1 << 16;

    private Streams() {}

    public static InputStream input(int descriptor) {
        return new Input(descriptor);
    }

    public static OutputStream output(int descriptor) {
        return new Output(descriptor);
    }

    /// A thread's own way to the kernel, made where it is first needed.
    private static final class Channel {
        private final Kernel kernel = new Kernel();
        private final MemorySegment memory = kernel.memory(BUFFER);

        long call(Call call, int descriptor, int length) {
            long result;
            do {
                result = kernel.call(call.number(), descriptor, memory.address(), length);
            } while (result == -Errno.EINTR);
            return result;
        }
    }

    private static final class Input extends InputStream {
        private final int descriptor;
        private @Nullable Channel channel;

        Input(int descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, to.length);
            if (channel == null) {
                channel = new Channel();
            }
            long read = channel.call(Call.READ, descriptor, Math.min(length, BUFFER));
            // A terminal that nobody has open any more says EIO.
            if (read <= 0) {
                return -1;
            }
            MemorySegment.copy(channel.memory, JAVA_BYTE, 0, to, offset, (int) read);
            return (int) read;
        }
    }

    private static final class Output extends OutputStream {
        private final int descriptor;
        private @Nullable Channel channel;

        Output(int descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, from.length);
            if (channel == null) {
                channel = new Channel();
            }
            int done = 0;
            while (done < length) {
                int part = Math.min(length - done, BUFFER);
                MemorySegment.copy(from, offset + done, channel.memory, JAVA_BYTE, 0, part);
                long written = channel.call(Call.WRITE, descriptor, part);
                if (written < 0) {
                    throw new IOException("write failed: " + Errno.text((int) -written));
                }
                done += (int) written;
            }
        }
    }
}
