// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/// connect(2), bind(2) and listen(2) on a socket that another process made. Addresses are bytes, as
/// the kernel has them. A failure comes back as the negated error number.
public final class Sockets {
    public static final int AF_UNSPEC = 0;
    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;

    /// The longest address there is: struct sockaddr_storage.
    public static final int LONGEST = 128;

    private final Kernel kernel;
    private final MemorySegment address;
    private final MemorySegment length;

    public Sockets(Kernel kernel) {
        this.kernel = kernel;
        this.address = kernel.memory(LONGEST);
        this.length = kernel.memory(8);
    }

    private long put(byte[] bytes) {
        MemorySegment.copy(bytes, 0, address, JAVA_BYTE, 0, bytes.length);
        return address.address();
    }

    public int connect(int socket, byte[] to) {
        return (int) kernel.call(Call.CONNECT.number(), socket, put(to), to.length);
    }

    public int bind(int socket, byte[] to) {
        return (int) kernel.call(Call.BIND.number(), socket, put(to), to.length);
    }

    public int listen(int socket, int backlog) {
        return (int) kernel.call(Call.LISTEN.number(), socket, backlog);
    }

    /// The address that `socket` is bound to; empty if it cannot be said.
    public byte[] name(int socket) {
        length.set(JAVA_INT, 0, LONGEST);
        long result =
                kernel.call(Call.GETSOCKNAME.number(), socket, address.address(), length.address());
        int size = Math.min(length.get(JAVA_INT, 0), LONGEST);
        return result < 0 ? new byte[0] : address.asSlice(0, size).toArray(JAVA_BYTE);
    }
}
