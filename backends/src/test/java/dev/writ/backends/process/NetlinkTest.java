// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NetlinkTest {
    private static final int GET_LINK = 18;
    private static final int GET_ADDRESS = 22;
    private static final int ALL = 0x301;
    private static final int ONE = 1;

    /// A request about a card, as programs send it.
    private static byte[] request(int type, int flags, int family, int index) {
        return ByteBuffer.allocate(32)
                .order(ByteOrder.nativeOrder())
                .putInt(32)
                .putShort((short) type)
                .putShort((short) flags)
                .putInt(7)
                .putInt(0)
                .putInt(family)
                .putInt(index)
                .array();
    }

    private record Said(int type, int sequence, ByteBuffer body) {}

    /// The messages in an answer, each of which lies within it.
    private static List<Said> said(byte[] answer) {
        var all = new ArrayList<Said>();
        var rest = ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder());
        while (rest.hasRemaining()) {
            int at = rest.position();
            int length = rest.getInt(at);
            assertThat(length).isBetween(16, rest.remaining());
            var body = rest.slice(at + 16, length - 16).order(rest.order());
            all.add(new Said(rest.getShort(at + 4), rest.getInt(at + 8), body));
            rest.position(Math.min(at + (length + 3 & ~3), rest.limit()));
        }
        return all;
    }

    @Test
    void there_are_two_cards() {
        byte[] answer = Netlink.answer(request(GET_LINK, ALL, 0, 0));

        assertThat(said(answer)).extracting(Said::type).containsExactly(16, 16, 3);
        assertThat(said(answer)).extracting(Said::sequence).containsOnly(7);
        assertThat(new String(answer, ISO_8859_1)).contains("lo\0", "writ0\0");
    }

    @Test
    void addresses_are_those_of_the_family_that_is_asked_for() {
        assertThat(said(Netlink.answer(request(GET_ADDRESS, ALL, 0, 0))))
                .extracting(m -> m.type() == 3 ? "end" : Integer.toString(m.body().get(0)))
                .containsExactly("2", "2", "10", "end");
        assertThat(said(Netlink.answer(request(GET_ADDRESS, ALL, 2, 0)))).hasSize(3);
        assertThat(said(Netlink.answer(request(GET_ADDRESS, ALL, 10, 0)))).hasSize(2);
    }

    @Test
    void one_card_is_given_by_its_number() {
        assertThat(said(Netlink.answer(request(GET_LINK, ONE, 0, 2)))).hasSize(1);
        assertThat(said(Netlink.answer(request(GET_LINK, ONE, 0, 3))).getFirst().body().getInt(0))
                .as("no such device")
                .isEqualTo(-19);
    }

    @Test
    void one_card_is_given_by_its_name() {
        assertThat(said(Netlink.answer(named("lo")))).extracting(Said::type).containsExactly(16);
        assertThat(said(Netlink.answer(named("eth0")))).extracting(Said::type).containsExactly(2);
    }

    private static byte[] named(String name) {
        var bytes =
                ByteBuffer.allocate(32 + 4 + 8)
                        .order(ByteOrder.nativeOrder())
                        .put(request(GET_LINK, ONE, 0, 0))
                        .putShort((short) (4 + name.length() + 1))
                        .putShort((short) 3)
                        .put(name.getBytes(ISO_8859_1))
                        .array();
        bytes[0] = (byte) bytes.length;
        return bytes;
    }

    @Test
    void nothing_is_changed_and_there_is_nothing_else() {
        for (int type = 16; type < 120; type++) {
            var answer = said(Netlink.answer(request(type, type % 4 == 2 ? ALL : ONE, 0, 1)));
            if (type % 4 != 2) {
                assertThat(answer.getFirst().body().getInt(0)).as("type %d", type).isEqualTo(-1);
            } else if (type != GET_LINK && type != GET_ADDRESS) {
                assertThat(answer).extracting(Said::type).containsExactly(3);
            }
        }
    }

    @Test
    void whatever_is_sent_the_answer_is_whole() {
        var random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            byte[] sent = new byte[random.nextInt(600)];
            random.nextBytes(sent);
            for (int at = 0; at + 8 <= sent.length && random.nextInt(4) > 0; at += 20) {
                // Now and then something that looks like a request.
                sent[at] = (byte) (16 + random.nextInt(12));
                sent[at + 1] = sent[at + 2] = sent[at + 3] = 0;
                sent[at + 4] = (byte) (16 + random.nextInt(12));
                sent[at + 5] = 0;
            }
            said(Netlink.answer(sent));
        }
    }
}
