// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// The network cards that a sandbox sees: the loopback, and one that stands for all there are.
/// Those of the machine, and their addresses, are none of its business; without any, programs take
/// it that they have no network, and some do not start.
final class Cards {
    private static final int UP = 0x1;
    private static final int BROADCAST = 0x2;
    private static final int LOOPBACK = 0x8;
    private static final int RUNNING = 0x40;
    private static final int MULTICAST = 0x1000;
    private static final int LOWER_UP = 0x10000;

    private static final byte[] PROC = "/proc/".getBytes(US_ASCII);
    private static final byte[] TABLE = "/net/if_inet6".getBytes(US_ASCII);
    private static final byte[] NO_HARDWARE = new byte[6];
    private static final byte[] SOME_HARDWARE = {2, 0, 0, 0, 0, 1};
    private static final byte[] LOOPBACK_V6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    static final List<Card> ALL =
            List.of(
                    new Card(
                            1,
                            "lo",
                            UP | LOOPBACK | RUNNING | LOWER_UP,
                            772, // ARPHRD_LOOPBACK
                            65536,
                            NO_HARDWARE,
                            new At(new byte[] {127, 0, 0, 1}, 8),
                            Optional.of(new At(LOOPBACK_V6, 128))),
                    // Of the network for tests of devices, like the addresses that names have here.
                    new Card(
                            2,
                            "writ0",
                            UP | BROADCAST | RUNNING | MULTICAST | LOWER_UP,
                            1, // ARPHRD_ETHER
                            1500,
                            SOME_HARDWARE,
                            new At(new byte[] {(byte) 198, 19, (byte) 255, (byte) 254}, 32),
                            Optional.empty()));

    /// An address, and how many of its bits are those of its network.
    record At(byte[] ip, int bits) {
        /// The bits of the network alone.
        byte[] mask() {
            var mask = new byte[ip.length];
            for (int i = 0; i < bits; i++) {
                mask[i / 8] |= (byte) (0x80 >> i % 8);
            }
            return mask;
        }
    }

    /// @param type of its hardware
    record Card(
            int index,
            String name,
            int flags,
            int type,
            int longest,
            byte[] hardware,
            At v4,
            Optional<At> v6) {
        boolean isLoopback() {
            return (flags & LOOPBACK) != 0;
        }
    }

    private Cards() {}

    static Optional<Card> named(String name) {
        return ALL.stream().filter(c -> c.name().equals(name)).findFirst();
    }

    static Optional<Card> at(int index) {
        return ALL.stream().filter(c -> c.index() == index).findFirst();
    }

    /// Whether `place` is where the kernel lists the addresses of all cards.
    static boolean isTable(byte[] place) {
        int begin = place.length - TABLE.length;
        return begin > PROC.length
                && Arrays.equals(place, begin, place.length, TABLE, 0, TABLE.length)
                && Arrays.equals(place, 0, PROC.length, PROC, 0, PROC.length);
    }

    /// What stands there.
    static byte[] table() {
        var lines = new StringBuilder();
        for (var card : ALL) {
            card.v6().ifPresent(at -> lines.append(line(card, at)));
        }
        return lines.toString().getBytes(US_ASCII);
    }

    private static String line(Card card, At at) {
        return "%s %02x %02x %02x 80 %8s\n"
                .formatted(
                        HexFormat.of().formatHex(at.ip()),
                        card.index(),
                        at.bits(),
                        card.isLoopback() ? 0x10 : 0,
                        card.name());
    }
}
