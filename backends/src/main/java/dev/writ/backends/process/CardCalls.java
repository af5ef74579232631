// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFMT;
import static dev.writ.kernel.FileCalls.S_IFSOCK;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.backends.process.Cards.Card;
import dev.writ.kernel.Errno;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Pidfd;
import dev.writ.kernel.Sockets;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// ioctl(2) on a socket about network cards, of which there are [Cards] only.
final class CardCalls {
    private static final int NAME = 16; // struct ifreq { char name[16]; ... }
    private static final int REQUEST = 40;
    private static final int LIST = 16; // struct ifconf { int length; char *at; }

    private final Worker worker;

    CardCalls(Worker worker) {
        this.worker = worker;
    }

    /// Whether `call` is about network cards.
    static boolean isOne(Notification call) {
        return (call.argument(1) & 0xff00) == 0x8900;
    }

    void answer(Notification call) {
        int socket =
                worker.keep(Pidfd.descriptor(worker.kernel, call.task(), (int) call.argument(0)));
        if (worker.files.look(socket) < 0 || (worker.files.mode() & S_IFMT) != S_IFSOCK) {
            throw new Failed(Errno.ENOTTY);
        }
        int which = (int) call.argument(1);
        byte[] answer = which == 0x8912 ? list(call) : one(call, which);
        worker.requireWaiting(call);
        worker.put(call.task(), call.argument(2), answer);
        worker.answer(call, 0);
    }

    /// SIOCGIFCONF: how much room the list takes, or as much of it as there is room for.
    private byte[] list(Notification call) {
        byte[] list = worker.bytes(call.task(), call.argument(2), LIST);
        long at = buffer(list).getLong(8);
        var all = ByteBuffer.allocate(REQUEST * Cards.ALL.size());
        for (var card : Cards.ALL) {
            all.put(request(card, inet(card.v4().ip())));
        }
        int length = all.capacity();
        if (at != 0) {
            length = Math.clamp(buffer(list).getInt(0), 0, length) / REQUEST * REQUEST;
            worker.put(call.task(), at, Arrays.copyOf(all.array(), length));
        }
        buffer(list).putInt(0, length);
        return list;
    }

    private byte[] one(Notification call, int which) {
        byte[] request = worker.bytes(call.task(), call.argument(2), REQUEST);
        if (which == 0x8910) { // SIOCGIFNAME
            int index = buffer(request).getInt(NAME);
            return request(Cards.at(index).orElseThrow(CardCalls::none), number(index));
        }
        var card = Cards.named(name(request)).orElseThrow(CardCalls::none);
        return request(
                card,
                switch (which) {
                    case 0x8913 -> number(card.flags() & 0xffff); // SIOCGIFFLAGS
                    case 0x8915, 0x8917 -> inet(card.v4().ip()); // SIOCGIFADDR, SIOCGIFDSTADDR
                    case 0x8919 -> inet(broadcast(card)); // SIOCGIFBRDADDR
                    case 0x891b -> inet(card.v4().mask()); // SIOCGIFNETMASK
                    case 0x891d -> number(0); // SIOCGIFMETRIC
                    case 0x8921 -> number(card.longest()); // SIOCGIFMTU
                    case 0x8927 -> hardware(card); // SIOCGIFHWADDR
                    case 0x8933 -> number(card.index()); // SIOCGIFINDEX
                    case 0x8942 -> number(1000); // SIOCGIFTXQLEN
                    default -> throw new Failed(Errno.EPERM);
                });
    }

    private static Failed none() {
        return new Failed(Errno.ENODEV);
    }

    private static String name(byte[] request) {
        int end = 0;
        while (end < NAME && request[end] != 0) {
            end++;
        }
        return new String(request, 0, end, US_ASCII);
    }

    private static byte[] broadcast(Card card) {
        return card.isLoopback() ? new byte[4] : card.v4().ip();
    }

    private static byte[] inet(byte[] ip) {
        var address = new byte[16];
        buffer(address).putShort((short) Sockets.AF_INET).putShort((short) 0).put(ip);
        return address;
    }

    private static byte[] hardware(Card card) {
        var address = new byte[16];
        buffer(address).putShort((short) card.type()).put(card.hardware());
        return address;
    }

    private static byte[] number(int value) {
        var number = new byte[4];
        buffer(number).putInt(value);
        return number;
    }

    private static byte[] request(Card card, byte[] value) {
        var request = Arrays.copyOf(card.name().getBytes(US_ASCII), REQUEST);
        System.arraycopy(value, 0, request, NAME, value.length);
        return request;
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }
}
