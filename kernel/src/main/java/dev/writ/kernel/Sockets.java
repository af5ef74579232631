// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// connect(2), bind(2), listen(2) and messages on a socket that another process made. Addresses are
/// bytes, as the kernel has them. A failure comes back as the negated error number.
public final class Sockets {
    public static final int AF_UNSPEC = 0;
    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    public static final int AF_NETLINK = 16;

    /// The longest address there is: struct sockaddr_storage.
    public static final int LONGEST = 128;

    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_SEQPACKET = 5;

    private static final int SHUT_RDWR = 2;

    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int SO_COOKIE = 57;

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;

    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_V6ONLY = 26;

    public static final int MSG_PEEK = 2;
    public static final int MSG_TRUNC = 0x20;
    public static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;

    /// The longest message that is passed on.
    public static final int LONGEST_MESSAGE = 65536;

    private final Kernel kernel;
    private final MemorySegment address;
    private final MemorySegment length;
    private @Nullable MemorySegment message;

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

    /// Ends both directions, or that anybody can connect.
    public int shutdown(int socket) {
        return (int) kernel.call(Call.SHUTDOWN.number(), socket, SHUT_RDWR);
    }

    /// A socket of the internet for datagrams, which nobody has to wait for.
    public int datagrams(int family) {
        int type = SOCK_DGRAM | FileCalls.O_CLOEXEC | FileCalls.O_NONBLOCK;
        return (int) kernel.call(Call.SOCKET.number(), family, type, 0);
    }

    /// Two ends of a connection within this machine: one in the low half, the other in the high
    /// half.
    public long pair(int type) {
        long result =
                kernel.call(
                        Call.SOCKETPAIR.number(),
                        AF_UNIX,
                        type | FileCalls.O_CLOEXEC, // the same as SOCK_CLOEXEC
                        0,
                        address.address());
        return result < 0
                ? result
                : ((long) address.get(JAVA_INT, 4) << 32)
                        | (address.get(JAVA_INT, 0) & 0xffffffffL);
    }

    private MemorySegment message() {
        if (message == null) {
            message = kernel.memory(LONGEST_MESSAGE);
        }
        return message;
    }

    /// Sends a message, if there is room for it now.
    public int send(int socket, byte[] bytes) {
        var memory = message();
        MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, 0, bytes.length);
        return (int)
                kernel.call(
                        Call.SENDTO.number(),
                        socket,
                        memory.address(),
                        bytes.length,
                        MSG_DONTWAIT | MSG_NOSIGNAL,
                        0,
                        0);
    }

    /// Takes a message, if there is one now. Gives its length; ask [#received] for its bytes.
    public int receive(int socket, int most, int flags) {
        return (int)
                kernel.call(
                        Call.RECVFROM.number(),
                        socket,
                        message().address(),
                        Math.min(most, LONGEST_MESSAGE),
                        flags | MSG_DONTWAIT,
                        0,
                        0);
    }

    /// The first bytes of the message that was taken last.
    public byte[] received(int count) {
        return message().asSlice(0, count).toArray(JAVA_BYTE);
    }

    /// getsockopt(2) of a number, or of the first four bytes of something longer.
    public int option(int socket, int level, int option) {
        long result = getOption(socket, level, option, Integer.BYTES);
        return result < 0 ? (int) result : address.get(JAVA_INT, 0);
    }

    /// Gets an option into the memory for addresses.
    private long getOption(int socket, int level, int option, int size) {
        address.fill((byte) 0);
        length.set(JAVA_INT, 0, size);
        return kernel.call(
                Call.GETSOCKOPT.number(),
                socket,
                level,
                option,
                address.address(),
                length.address());
    }

    /// Whether a socket of IPv6 has nothing to do with IPv4.
    public boolean isV6Only(int socket) {
        return option(socket, IPPROTO_IPV6, IPV6_V6ONLY) != 0;
    }

    /// Lets a socket of IPv6 that has no port yet have to do with IPv4, too.
    public void allowV4(int socket) {
        setOption(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    }

    /// How far the connection of `socket` has come, as <netinet/tcp.h> counts; an error if it is
    /// not one of TCP.
    public int tcpState(int socket) {
        long result = getOption(socket, IPPROTO_TCP, TCP_INFO, 1);
        return result < 0 ? (int) result : address.get(JAVA_BYTE, 0);
    }

    /// The number that `socket` has for good, and no other.
    public long cookie(int socket) {
        long result = getOption(socket, SOL_SOCKET, SO_COOKIE, Long.BYTES);
        return result < 0 ? result : address.get(JAVA_LONG, 0);
    }

    /// How long a call that receives may wait, in milliseconds; 0 for ever.
    public long patience(int socket) {
        return patience(socket, SO_RCVTIMEO);
    }

    /// How long a call that sends or connects may wait, in milliseconds; 0 for ever.
    public long patienceToSend(int socket) {
        return patience(socket, SO_SNDTIMEO);
    }

    private long patience(int socket, int option) {
        // struct timeval { long seconds, microseconds; }
        getOption(socket, SOL_SOCKET, option, 2 * Long.BYTES);
        long micros = address.get(JAVA_LONG, 8);
        return address.get(JAVA_LONG, 0) * 1000 + (micros + 999) / 1000;
    }

    public void setPatienceToSend(int socket, long milliseconds) {
        address.set(JAVA_LONG, 0, milliseconds / 1000);
        address.set(JAVA_LONG, 8, milliseconds % 1000 * 1000);
        kernel.call(
                Call.SETSOCKOPT.number(),
                socket,
                SOL_SOCKET,
                SO_SNDTIMEO,
                address.address(),
                2 * Long.BYTES);
    }

    public int setOption(int socket, int level, int option, int value) {
        address.set(JAVA_INT, 0, value);
        return (int)
                kernel.call(
                        Call.SETSOCKOPT.number(),
                        socket,
                        level,
                        option,
                        address.address(),
                        Integer.BYTES);
    }

    /// The address that `socket` is bound to; empty if it cannot be said.
    public byte[] name(int socket) {
        return name(Call.GETSOCKNAME, socket);
    }

    /// The address that the other end of `socket` is bound to; empty if it cannot be said.
    public byte[] peer(int socket) {
        return name(Call.GETPEERNAME, socket);
    }

    private byte[] name(Call call, int socket) {
        length.set(JAVA_INT, 0, LONGEST);
        long result = kernel.call(call.number(), socket, address.address(), length.address());
        int size = Math.min(length.get(JAVA_INT, 0), LONGEST);
        return result < 0 ? new byte[0] : address.asSlice(0, size).toArray(JAVA_BYTE);
    }
}
