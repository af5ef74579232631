// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Who listens on the TCP ports of this machine, as the kernel says by sock_diag(7).
///
/// @param cookie the number that this socket has for good
/// @param inode the number that its file has while it is open
public record Listening(long cookie, long inode) {
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int SOCK_RAW = 3;

    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int NLM_F_REQUEST = 1;
    private static final int NLM_F_DUMP = 0x300;

    /// The older question, which is for both families at once.
    private static final int TCPDIAG_GETSOCK = 18;

    private static final int TCP_LISTEN = 10;

    private static final int HEADER = 16; // struct nlmsghdr
    private static final int QUESTION = 60; // struct inet_diag_req
    private static final int STATES = 52;

    // In struct inet_diag_msg.
    private static final int PORT = 4;
    private static final int COOKIE = 44;
    private static final int INODE = 68;

    /// All who listen at `port`, at whatever address; nothing if the kernel does not say.
    public static Optional<List<Listening>> at(Kernel kernel, Sockets sockets, int port) {
        int socket =
                (int)
                        kernel.call(
                                Call.SOCKET.number(),
                                Sockets.AF_NETLINK,
                                SOCK_RAW | FileCalls.O_CLOEXEC,
                                NETLINK_SOCK_DIAG);
        if (socket < 0) {
            return Optional.empty();
        }
        try {
            var found = new ArrayList<Listening>();
            sockets.send(socket, question());
            while (true) {
                int length = sockets.receive(socket, Sockets.LONGEST_MESSAGE, 0);
                if (length <= 0) {
                    return Optional.empty();
                }
                var end = read(ByteBuffer.wrap(sockets.received(length)), port, found);
                if (end.isPresent()) {
                    return end.filter(complete -> complete).map(_ -> found);
                }
            }
        } finally {
            kernel.call(Call.CLOSE.number(), socket);
        }
    }

    private static byte[] question() {
        return ByteBuffer.allocate(HEADER + QUESTION)
                .order(ByteOrder.nativeOrder())
                .putInt(HEADER + QUESTION)
                .putShort((short) TCPDIAG_GETSOCK)
                .putShort((short) (NLM_F_REQUEST | NLM_F_DUMP))
                .putInt(HEADER + STATES, 1 << TCP_LISTEN)
                .array();
    }

    /// Adds what a part of the answer says of `port`.
    ///
    /// @return whether everything was said, once there is no more
    private static Optional<Boolean> read(ByteBuffer part, int port, List<Listening> found) {
        part.order(ByteOrder.nativeOrder());
        for (int at = 0; at + HEADER <= part.capacity(); at += (part.getInt(at) + 3) & ~3) {
            int type = part.getShort(at + 4);
            if (type == NLMSG_DONE || type == NLMSG_ERROR) {
                return Optional.of(type == NLMSG_DONE && part.getInt(at + HEADER) >= 0);
            }
            int message = at + HEADER;
            // In network order.
            int port1 = part.get(message + PORT) & 0xff;
            int port2 = part.get(message + PORT + 1) & 0xff;
            if ((port1 << 8 | port2) == port) {
                found.add(
                        new Listening(
                                part.getLong(message + COOKIE),
                                Integer.toUnsignedLong(part.getInt(message + INODE))));
            }
        }
        return Optional.empty();
    }
}
