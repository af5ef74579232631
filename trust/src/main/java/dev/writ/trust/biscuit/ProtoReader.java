// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;

/// Reads one message of Protocol Buffers, strictly: a number has one spelling, a field that is not
/// known or comes twice is refused, and so is what nests too deeply. Readers of others pass over
/// such things; then two tokens with different bytes would be the same token.
final class ProtoReader {
    private static final int DEEPEST = 64;
    private static final int VARINT = 0;
    private static final int LENGTH = 2;

    private final byte[] bytes;
    private final int end;
    private final int depth;
    private int at;
    private int field;
    private int wire;
    private int seen;

    ProtoReader(byte[] bytes) {
        this(bytes, 0, bytes.length, 0);
    }

    private ProtoReader(byte[] bytes, int at, int end, int depth) {
        this.bytes = bytes;
        this.at = at;
        this.end = end;
        this.depth = depth;
    }

    /// The number of the next field, or 0 at the end.
    int next() {
        if (at == end) {
            return 0;
        }
        long tag = raw();
        field = (int) (tag >>> 3);
        wire = (int) (tag & 7);
        if (tag >>> 3 == 0 || tag >>> 3 > 31) {
            throw unknown();
        }
        return field;
    }

    /// The field that was just met must not have come before.
    ProtoReader once() {
        if ((seen & (1 << field)) != 0) {
            throw new BiscuitException("field " + field + " comes twice");
        }
        seen |= 1 << field;
        return this;
    }

    /// Only one of these fields may come at all.
    ProtoReader alone() {
        if (seen != 0) {
            throw new BiscuitException("field " + field + " stands beside another");
        }
        return once();
    }

    /// Whether the field was read by [#once].
    void require(int... fields) {
        for (int wanted : fields) {
            if ((seen & (1 << wanted)) == 0) {
                throw new BiscuitException("field " + wanted + " is missing");
            }
        }
    }

    BiscuitException unknown() {
        return new BiscuitException("field " + field + " is not known");
    }

    long varint() {
        expect(VARINT);
        return raw();
    }

    int uint32() {
        long value = varint();
        if (value >>> 32 != 0) {
            throw new BiscuitException("field " + field + " is too large");
        }
        return (int) value;
    }

    boolean bool() {
        long value = varint();
        if (value >>> 1 != 0) {
            throw new BiscuitException("field " + field + " is neither true nor false");
        }
        return value == 1;
    }

    byte[] bytes() {
        int length = length();
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }

    String text() {
        int length = length();
        at += length;
        try {
            var slice = ByteBuffer.wrap(bytes, at - length, length);
            return UTF_8.newDecoder().decode(slice).toString();
        } catch (CharacterCodingException e) {
            throw new BiscuitException("field " + field + " is no text");
        }
    }

    ProtoReader message() {
        if (depth == DEEPEST) {
            throw new BiscuitException("nested deeper than " + DEEPEST + " levels");
        }
        int length = length();
        at += length;
        return new ProtoReader(bytes, at - length, at, depth + 1);
    }

    private int length() {
        expect(LENGTH);
        long length = raw();
        if (length < 0 || length > end - at) {
            throw new BiscuitException("field " + field + " ends after its message");
        }
        return (int) length;
    }

    private void expect(int type) {
        if (wire != type) {
            throw new BiscuitException("field " + field + " is of another type");
        }
    }

    private long raw() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at == end) {
                throw new BiscuitException("a number ends after its message");
            }
            byte b = bytes[at++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                if ((b == 0 && shift > 0) || (shift == 63 && b > 1)) {
                    throw new BiscuitException("a number is not in its shortest form");
                }
                return value;
            }
        }
        throw new BiscuitException("a number is longer than 64 bits");
    }
}
