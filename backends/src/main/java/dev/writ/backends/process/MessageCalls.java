// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Errno;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Sockets;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// sendmsg(2), recvmsg(2) and their kin, on what stands for a datagram socket. On anything else the
/// kernel goes on. It may do so whatever lies in memory: on a socket with a connection an address
/// leads nowhere else, and so it does on what stands for a datagram socket.
final class MessageCalls {
    private static final int MOST_PIECES = 1024;
    private static final int HEADER = 7; // longs
    private static final int LENGTH_OF_ONE = 56; // in struct mmsghdr, behind its header

    private final Worker worker;
    private final DatagramCalls datagrams;

    MessageCalls(Worker worker, DatagramCalls datagrams) {
        this.worker = worker;
        this.datagrams = datagrams;
    }

    /// struct msghdr, copied once: name, its room, pieces, their count, control, its room, flags.
    private record Header(long at, long[] words, long[] pieces) {
        long name() {
            return words[0];
        }

        int nameRoom() {
            return (int) words[1];
        }

        int size() {
            long size = 0;
            for (int i = 1; i < pieces.length; i += 2) {
                size = Math.min(Sockets.LONGEST_MESSAGE + 1L, size + Math.max(pieces[i], 0));
            }
            return (int) size;
        }
    }

    private Header header(Notification call) {
        long at = call.argument(1);
        long[] words = worker.memory.longs(call.task(), at, HEADER);
        if (words == null) {
            throw new Failed(Errno.EFAULT);
        }
        if (words[3] < 0 || words[3] > MOST_PIECES) {
            throw new Failed(Errno.EMSGSIZE);
        }
        var pieces = new long[2 * (int) words[3]];
        for (int i = 0; i < pieces.length; i += 2) {
            long[] piece = worker.memory.longs(call.task(), words[2] + 8L * i, 2);
            if (piece == null) {
                throw new Failed(Errno.EFAULT);
            }
            pieces[i] = piece[0];
            pieces[i + 1] = piece[1];
        }
        return new Header(at, words, pieces);
    }

    void send(Notification call) {
        send(call, false);
    }

    /// sendmmsg(2). It may always send fewer than all, and its callers come again.
    void sendSome(Notification call) {
        send(call, true);
    }

    private void send(Notification call, boolean counted) {
        var datagram = datagrams.find(datagrams.socket(call));
        if (datagram.isEmpty() || (counted && (int) call.argument(2) < 1)) {
            worker.notifications.letPass(call.id());
            return;
        }
        var header = header(call);
        if (header.name() == 0 && !datagram.get().isNetlink()) {
            worker.notifications.letPass(call.id()); // where it is connected to
            return;
        }
        if (header.nameRoom() < 0 || header.nameRoom() > Sockets.LONGEST) {
            throw new Failed(Errno.EINVAL);
        }
        if (header.size() > Sockets.LONGEST_MESSAGE) {
            throw new Failed(Errno.EMSGSIZE);
        }
        byte[] address =
                header.name() == 0
                        ? new byte[0]
                        : worker.bytes(call.task(), header.name(), header.nameRoom());
        var message = new ByteArrayOutputStream();
        for (int i = 0; i < header.pieces().length; i += 2) {
            message.writeBytes(
                    worker.bytes(call.task(), header.pieces()[i], (int) header.pieces()[i + 1]));
        }
        int sent = datagrams.send(call, datagram.get(), address, message.toByteArray());
        finish(call, counted, header, sent);
    }

    void receive(Notification call) {
        receive(call, false);
    }

    /// recvmmsg(2). Gives one message, which is all that it has to.
    void receiveSome(Notification call) {
        receive(call, true);
    }

    private void receive(Notification call, boolean counted) {
        int socket = datagrams.socket(call);
        var datagram = datagrams.find(socket);
        if (datagram.isEmpty() || (counted && (int) call.argument(2) < 1)) {
            worker.notifications.letPass(call.id());
            return;
        }
        var header = header(call);
        int flags = (int) call.argument(counted ? 3 : 2);
        int most = Math.min(header.size(), Sockets.LONGEST_MESSAGE);
        var received = datagrams.receive(call, datagram.get(), socket, most, flags);
        scatter(call, header, received.message());
        byte[] name = datagram.get().address(received.from());
        if (header.name() != 0) {
            int room = Math.clamp(header.nameRoom(), 0, name.length);
            worker.put(call.task(), header.name(), Arrays.copyOf(name, room));
            worker.put(call.task(), header.at() + 8, number(name.length));
        }
        worker.put(call.task(), header.at() + 40, new byte[Long.BYTES]); // no control data
        worker.put(call.task(), header.at() + 48, number(received.isCut() ? Sockets.MSG_TRUNC : 0));
        finish(call, counted, header, received.answer(flags));
    }

    private void scatter(Notification call, Header header, byte[] message) {
        int at = 0;
        for (int i = 0; i < header.pieces().length && at < message.length; i += 2) {
            int length = (int) Math.min(header.pieces()[i + 1], message.length - at);
            worker.put(
                    call.task(), header.pieces()[i], Arrays.copyOfRange(message, at, at + length));
            at += length;
        }
    }

    private void finish(Notification call, boolean counted, Header header, int result) {
        if (counted && result >= 0) {
            worker.put(call.task(), header.at() + LENGTH_OF_ONE, number(result));
            worker.answer(call, 1);
        } else {
            worker.answer(call, result);
        }
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.nativeOrder())
                .putInt(value)
                .array();
    }
}
