// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.name;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// DNS messages as a client makes and reads them, written apart from what is tested.
final class Messages {
    private Messages() {}

    static byte[] question(String name, int type) {
        return question(List.of(name.split("\\.")), type);
    }

    static byte[] question(List<String> labels, int type) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (var label : labels) {
            out.write(label.length());
            out.writeBytes(label.getBytes(ISO_8859_1));
        }
        out.writeBytes(new byte[] {0, (byte) (type >> 8), (byte) type, 0, 1});
        return out.toByteArray();
    }

    /// With a record that says how large a reply may be.
    static byte[] withSize(byte[] question, int version) {
        var out = ByteBuffer.allocate(question.length + 11).put(question);
        out.put((byte) 0).putShort((short) 41).putShort((short) 1232);
        out.putInt(version << 16).putShort((short) 0);
        return out.put(11, (byte) 1).array();
    }

    record Reply(int code, List<String> addresses, boolean extended) {}

    /// Reads a reply, which has to be a good one to the last byte.
    static Reply read(byte[] message) {
        var in = ByteBuffer.wrap(message);
        in.getShort();
        int flags = in.getShort();
        assertThat(flags & 0x8000).as("is a reply").isNotZero();
        assertThat(message.length).as("fits everywhere").isLessThanOrEqualTo(512);
        int questions = in.getShort();
        int answers = in.getShort();
        assertThat(in.getShort()).isZero();
        int additional = in.getShort();
        for (int i = 0; i < questions; i++) {
            for (int length = in.get(); length != 0; length = in.get()) {
                in.position(in.position() + length);
            }
            in.getInt();
        }
        var addresses = new ArrayList<String>();
        for (int i = 0; i < answers; i++) {
            assertThat(in.getShort()).as("the name asked for").isEqualTo((short) 0xc00c);
            assertThat(in.getInt()).as("A, IN").isEqualTo(0x0001_0001);
            assertThat(in.getInt()).as("its age").isPositive();
            assertThat(in.getShort()).isEqualTo((short) 4);
            addresses.add(
                    (in.get() & 255)
                            + "."
                            + (in.get() & 255)
                            + "."
                            + (in.get() & 255)
                            + "."
                            + (in.get() & 255));
        }
        int code = flags & 15;
        for (int i = 0; i < additional; i++) {
            assertThat(in.get()).isZero();
            assertThat(in.getShort()).isEqualTo((short) 41);
            in.getShort();
            code |= in.getInt() >>> 24 << 4;
            assertThat(in.getShort()).isZero();
        }
        assertThat(in.hasRemaining()).isFalse();
        return new Reply(code, addresses, additional > 0);
    }
}
