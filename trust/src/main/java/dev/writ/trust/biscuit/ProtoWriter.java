// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Writes one message of Protocol Buffers.
final class ProtoWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(128);

    ProtoWriter varint(int field, long value) {
        raw((long) field << 3);
        raw(value);
        return this;
    }

    ProtoWriter bytes(int field, byte[] value) {
        raw(((long) field << 3) | 2);
        raw(value.length);
        out.write(value, 0, value.length);
        return this;
    }

    ProtoWriter text(int field, String value) {
        return bytes(field, value.getBytes(UTF_8));
    }

    ProtoWriter message(int field, Consumer<ProtoWriter> content) {
        var inner = new ProtoWriter();
        content.accept(inner);
        return bytes(field, inner.done());
    }

    /// One message for each of `values`.
    <T> ProtoWriter each(int field, Iterable<T> values, BiConsumer<ProtoWriter, T> content) {
        for (T value : values) {
            message(field, w -> content.accept(w, value));
        }
        return this;
    }

    /// All that `other` has.
    ProtoWriter append(ProtoWriter other) {
        out.writeBytes(other.done());
        return this;
    }

    byte[] done() {
        return out.toByteArray();
    }

    private void raw(long value) {
        long rest = value;
        while (rest >>> 7 != 0) {
            out.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
