// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A few words to whatever somebody else has open, said without waiting for room. That there is
/// some now would say nothing: others may take it, and a terminal waits until there is room for
/// all.
public final class Remark {
    private static final int MOST = 4096;
    private static final int RWF_NOWAIT = 8;
    private static final long HERE = -1; // where the file is at

    private final Kernel kernel;
    private final FileCalls files;
    private final byte[] words;

    /// Takes memory of `kernel` when it is said, so that this should not live for long.
    public Remark(Kernel kernel, byte[] words) {
        this.kernel = kernel;
        this.files = new FileCalls(kernel);
        this.words = words.length <= MOST ? words.clone() : Arrays.copyOf(words, MOST);
    }

    /// @return how much was said, or an error below zero
    public int sayTo(int descriptor) {
        if (files.look(descriptor) < 0) {
            return -Errno.EBADF;
        }
        return switch (files.mode() & FileCalls.S_IFMT) {
            case FileCalls.S_IFREG -> files.write(descriptor, words);
            case FileCalls.S_IFSOCK -> new Sockets(kernel).send(descriptor, words);
            default -> unwaited(descriptor);
        };
    }

    private int unwaited(int descriptor) {
        var text = kernel.memory(MOST);
        MemorySegment.copy(words, 0, text, JAVA_BYTE, 0, words.length);
        // struct iovec { void *base; size_t length; }
        var vector = kernel.memory(16);
        vector.set(JAVA_LONG, 0, text.address());
        vector.set(JAVA_LONG, 8, words.length);
        long written =
                kernel.call(
                        Call.PWRITEV2.number(),
                        descriptor,
                        vector.address(),
                        1,
                        HERE,
                        HERE,
                        RWF_NOWAIT);
        return written == -Errno.EOPNOTSUPP ? anew(descriptor) : (int) written;
    }

    /// Through a descriptor of our own: how the given one behaves is for those to say who share it.
    private int anew(int descriptor) {
        int own =
                files.reopen(
                        descriptor, FileCalls.O_WRONLY | FileCalls.O_NONBLOCK | FileCalls.O_NOCTTY);
        int written = own < 0 ? own : files.write(own, words);
        files.close(own);
        return written;
    }
}
