// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.name;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.StringJoiner;

/// A DNS message that asks for one name (RFC 1035), perhaps with a word about its size (RFC 6891);
/// and the reply to it.
final class Question {
    static final int A = 1;

    // what a reply says
    static final int NO_PROBLEM = 0;
    static final int MALFORMED = 1;
    static final int FAILURE = 2;
    static final int NO_SUCH_NAME = 3;
    static final int NOT_DONE = 4;
    private static final int OTHER_VERSION = 16;

    private static final int OPT = 41;
    private static final int INTERNET = 1;
    private static final int HEADER = 12;
    private static final int LONGEST_LABEL = 63;
    private static final int LONGEST_NAME = 255;
    private static final int MOST_LABELS = 128;
    private static final int SECONDS = 60;
    private static final int SIZE = 1232; // of replies that every network passes on whole

    private static final int IS_REPLY = 0x8000;
    private static final int OPERATION = 0x7800;
    private static final int RECURSION_WANTED = 0x0100;
    private static final int RECURSION_OFFERED = 0x0080;

    private final short id;
    private final int flags;
    private byte[] asked = {};
    private Optional<String> name = Optional.empty();
    private int type;
    private boolean extended;
    private int problem;

    private Question(short id, int flags) {
        this.id = id;
        this.flags = flags;
    }

    /// Empty if `message` asks nothing: then there is nobody to reply to.
    static Optional<Question> read(byte[] message) {
        var in = ByteBuffer.wrap(message);
        if (message.length < HEADER || (in.getShort(2) & IS_REPLY) != 0) {
            return Optional.empty();
        }
        var question = new Question(in.getShort(), in.getShort() & 0xffff);
        try {
            question.problem = question.readRest(in);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            question.problem = MALFORMED;
        }
        return Optional.of(question);
    }

    private int readRest(ByteBuffer in) {
        if ((flags & OPERATION) != 0) {
            return NOT_DONE;
        }
        boolean one = in.getShort() == 1 && in.getShort() == 0 && in.getShort() == 0;
        int additional = in.getShort() & 0xffff;
        if (!one) {
            return MALFORMED;
        }
        readName(in);
        type = in.getShort() & 0xffff;
        int family = in.getShort() & 0xffff;
        asked = new byte[in.position() - HEADER];
        in.get(HEADER, asked);
        int version = 0;
        for (int i = 0; i < additional; i++) {
            version = Math.max(version, readRecord(in));
        }
        if (in.hasRemaining()) {
            return MALFORMED;
        }
        return version > 0 ? OTHER_VERSION : family == INTERNET ? NO_PROBLEM : NOT_DONE;
    }

    /// A name that is asked for stands there in full: there is nothing before it to point to.
    private void readName(ByteBuffer in) {
        int start = in.position();
        var labels = new StringJoiner(".");
        boolean plain = true;
        for (int i = 0; i < MOST_LABELS; i++) {
            int length = in.get() & 0xff;
            if (length == 0) {
                name = plain ? Optional.of(labels.toString()) : Optional.empty();
                return;
            }
            var label = new byte[length > LONGEST_LABEL ? refuse() : length];
            in.get(label);
            if (in.position() - start >= LONGEST_NAME) {
                refuse();
            }
            plain &= isPlain(label);
            labels.add(new String(label, US_ASCII));
        }
        refuse();
    }

    private static int refuse() {
        throw new IllegalArgumentException("not a name");
    }

    /// Whether it can only be meant as one label: nothing in it looks like a dot.
    private static boolean isPlain(byte[] label) {
        for (byte b : label) {
            boolean letter = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
            if (!letter && !(b >= '0' && b <= '9') && b != '-' && b != '_') {
                return false;
            }
        }
        return true;
    }

    /// Reads past a record. The version, if it is the one about sizes.
    private int readRecord(ByteBuffer in) {
        boolean root = skipName(in) == 1;
        int kind = in.getShort() & 0xffff;
        in.getShort();
        int more = in.getInt();
        int length = in.getShort() & 0xffff;
        in.position(in.position() + length);
        if (kind != OPT) {
            return 0;
        }
        if (!root || extended) {
            refuse();
        }
        extended = true;
        return more >> 16 & 0xff;
    }

    /// Where it points to is nobody's business: each part is read past once.
    private static int skipName(ByteBuffer in) {
        int start = in.position();
        int length = in.get() & 0xff;
        while (length != 0) {
            if (length > LONGEST_LABEL) {
                in.get();
                break;
            }
            in.position(in.position() + length);
            length = in.get() & 0xff;
        }
        return in.position() - start;
    }

    /// Why it cannot be answered.
    int problem() {
        return problem;
    }

    /// The name as it was written; empty if no host can be called that.
    Optional<String> name() {
        return name;
    }

    int type() {
        return type;
    }

    /// A reply without an address. The question stands in it as it came, byte by byte: some write
    /// it in odd cases and look whether that comes back.
    byte[] reply(int code) {
        return reply(code, 0, 0);
    }

    byte[] reply(int code, int address) {
        return reply(code, 1, address);
    }

    private byte[] reply(int code, int answers, int address) {
        var out = ByteBuffer.allocate(HEADER + asked.length + 16 * answers + (extended ? 11 : 0));
        int head = IS_REPLY | (flags & (OPERATION | RECURSION_WANTED)) | RECURSION_OFFERED;
        out.putShort(id).putShort((short) (head | (code & 0xf)));
        out.putShort((short) (asked.length == 0 ? 0 : 1)).putShort((short) answers);
        out.putShort((short) 0).putShort((short) (extended ? 1 : 0));
        out.put(asked);
        if (answers > 0) {
            // the name that stands right after the header, its type, class, age, and the address
            out.putShort((short) (0xc000 | HEADER)).putShort((short) A).putShort((short) INTERNET);
            out.putInt(SECONDS).putShort((short) Integer.BYTES).putInt(address);
        }
        if (extended) {
            // the root, its type, the size, the rest of the code, version and flags, no options
            out.put((byte) 0).putShort((short) OPT).putShort((short) SIZE);
            out.putInt(code >> 4 << 24).putShort((short) 0);
        }
        return out.array();
    }
}
