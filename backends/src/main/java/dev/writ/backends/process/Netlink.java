// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.backends.process.Cards.At;
import dev.writ.backends.process.Cards.Card;
import dev.writ.kernel.Errno;
import dev.writ.kernel.Sockets;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// What the kernel would say on a socket of NETLINK_ROUTE, if [Cards] were all there are. Nothing
/// can be changed by it.
final class Netlink {
    private static final int HEADER = 16;
    private static final int LINK = 16; // struct ifinfomsg
    private static final int ADDRESS = 12; // struct sockaddr_nl
    private static final int MOST_REQUESTS = 16;
    private static final int ROOM = 8192;

    private static final short ERROR = 2;
    private static final short DONE = 3;
    private static final short NEW_LINK = 16;
    private static final short GET_LINK = 18;
    private static final short NEW_ADDRESS = 20;
    private static final short GET_ADDRESS = 22;
    private static final int GET = 2; // of each kind: make, remove, ask, change

    private static final short ACKNOWLEDGE = 4;
    private static final short SEVERAL = 2;
    private static final short ALL = 0x300;

    private static final short NAME = 3;
    private static final short OTHER_NAME = 53;

    private static final byte PERMANENT = (byte) 0x80;
    private static final byte HERE_ONLY = (byte) 254;
    private static final byte RUNNING = 6;

    private final ByteBuffer answer = ByteBuffer.allocate(ROOM).order(ByteOrder.nativeOrder());

    private Netlink() {}

    /// Where everything comes from, and goes to.
    static byte[] address() {
        return ByteBuffer.allocate(ADDRESS)
                .order(ByteOrder.nativeOrder())
                .putShort((short) Sockets.AF_NETLINK)
                .array();
    }

    /// What is said to what was sent, in one message; empty if that was nothing to answer.
    static byte[] answer(byte[] sent) {
        var netlink = new Netlink();
        var requests = ByteBuffer.wrap(sent).order(ByteOrder.nativeOrder());
        for (int i = 0; i < MOST_REQUESTS && requests.remaining() >= HEADER; i++) {
            int length = requests.getInt(requests.position());
            if (length < HEADER || length > requests.remaining()) {
                break;
            }
            netlink.serve(requests.slice(requests.position(), length).order(requests.order()));
            int next = requests.position() + (length + 3 & ~3);
            requests.position(Math.min(next, requests.limit()));
        }
        return Arrays.copyOf(netlink.answer.array(), netlink.answer.position());
    }

    private void serve(ByteBuffer request) {
        short type = request.getShort(4);
        short flags = request.getShort(6);
        if (type < NEW_LINK) {
            return; // not for anybody
        }
        if ((type & 3) != GET) {
            fail(request, Errno.EPERM);
        } else if ((flags & ALL) != 0) {
            all(request, type);
        } else {
            one(request, type, flags);
        }
    }

    private void all(ByteBuffer request, short type) {
        int family = request.limit() > HEADER ? request.get(HEADER) : 0;
        for (var card : Cards.ALL) {
            if (type == GET_LINK) {
                link(request, card, SEVERAL);
            } else if (type == GET_ADDRESS && family != Sockets.AF_INET6) {
                address(request, card, Sockets.AF_INET, card.v4());
            }
        }
        for (var card : Cards.ALL) {
            if (type == GET_ADDRESS && family != Sockets.AF_INET) {
                card.v6().ifPresent(at -> address(request, card, Sockets.AF_INET6, at));
            }
        }
        int at = begin(request, DONE, SEVERAL);
        answer.putInt(0);
        end(at);
    }

    private void one(ByteBuffer request, short type, short flags) {
        int index = request.limit() >= HEADER + 8 ? request.getInt(HEADER + 4) : 0;
        var card =
                (index == 0 ? Cards.named(name(request)) : Cards.at(index))
                        .filter(_ -> type == GET_LINK);
        if (card.isEmpty()) {
            fail(request, Errno.ENODEV);
            return;
        }
        link(request, card.get(), (short) 0);
        if ((flags & ACKNOWLEDGE) != 0) {
            fail(request, 0);
        }
    }

    /// The name of a card that a question for one has; empty if it has none.
    private static String name(ByteBuffer request) {
        int at = HEADER + LINK;
        while (at + 4 <= request.limit()) {
            int length = request.getShort(at) & 0xffff;
            short type = request.getShort(at + 2);
            if (length < 4 || length > request.limit() - at) {
                break;
            }
            if (type == NAME || type == OTHER_NAME) {
                var name = new byte[length - 4];
                request.get(at + 4, name);
                return new String(name, US_ASCII).replace("\0", "");
            }
            at += length + 3 & ~3;
        }
        return "";
    }

    /// struct ifinfomsg { u8 family, pad; u16 type; s32 index; u32 flags, change; }
    private void link(ByteBuffer request, Card card, short flags) {
        int at = begin(request, NEW_LINK, flags);
        answer.putShort((short) 0).putShort((short) card.type());
        answer.putInt(card.index()).putInt(card.flags()).putInt(0);
        attribute(NAME, (card.name() + '\0').getBytes(US_ASCII));
        attribute(13, number(1000)); // how much may wait
        attribute(16, new byte[] {card.isLoopback() ? 0 : RUNNING});
        attribute(4, number(card.longest()));
        attribute(1, card.hardware());
        attribute(2, card.isLoopback() ? card.hardware() : new byte[] {-1, -1, -1, -1, -1, -1});
        end(at);
    }

    /// struct ifaddrmsg { u8 family, prefix, flags, scope; u32 index; }
    private void address(ByteBuffer request, Card card, int family, At own) {
        int at = begin(request, NEW_ADDRESS, SEVERAL);
        answer.put((byte) family).put((byte) own.bits()).put(PERMANENT);
        answer.put(card.isLoopback() ? HERE_ONLY : 0).putInt(card.index());
        attribute(1, own.ip());
        if (family == Sockets.AF_INET) {
            attribute(2, own.ip());
        }
        end(at);
    }

    private void fail(ByteBuffer request, int errno) {
        int at = begin(request, ERROR, (short) 0);
        answer.putInt(-errno).put(request.array(), request.arrayOffset(), HEADER);
        end(at);
    }

    /// struct nlmsghdr { u32 length; u16 type, flags; u32 sequence, port; }
    private int begin(ByteBuffer request, short type, short flags) {
        int at = answer.position();
        answer.putInt(0).putShort(type).putShort(flags).putInt(request.getInt(8)).putInt(0);
        return at;
    }

    private void end(int at) {
        answer.putInt(at, answer.position() - at);
        align();
    }

    private void attribute(int type, byte[] value) {
        answer.putShort((short) (4 + value.length)).putShort((short) type).put(value);
        align();
    }

    private void align() {
        answer.position(answer.position() + 3 & ~3);
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(value).array();
    }
}
