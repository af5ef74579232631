// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/// One file of the write-ahead log: a head, then records.
///
/// ```
/// head     "writ-wal" | salt 8 | first index 8 | boot 16 | CRC-32 4
/// record   mark 4 | length 4 | index 8 | durable 8 | CRC-32 4 | entry
/// ```
///
/// `durable` says how many entries of the log were on the disk when the record was written. So when
/// a record is damaged, a later one tells whether it had been acknowledged. The salt is random and
/// goes into every sum, so that an entry cannot contain what looks like a record.
final class Segment {
    static final int HEAD = 44;
    static final int BEFORE = 28;
    private static final byte[] MAGIC = "writ-wal".getBytes(US_ASCII);

    private final long salt;
    private final long first;
    private final byte[] boot;
    private final CRC32 sum = new CRC32();

    Segment(long salt, long first, byte[] boot) {
        this.salt = salt;
        this.first = first;
        this.boot = boot;
    }

    long first() {
        return first;
    }

    /// Whether the machine has not been started anew since this was begun.
    boolean sameBoot(byte[] now) {
        return Arrays.equals(boot, now);
    }

    byte[] head() {
        var head = ByteBuffer.allocate(HEAD).put(MAGIC).putLong(salt).putLong(first).put(boot);
        sum.reset();
        sum.update(head.array(), 0, HEAD - 4);
        return head.putInt((int) sum.getValue()).array();
    }

    static @Nullable Segment read(byte[] bytes) {
        if (bytes.length < HEAD) {
            return null;
        }
        var head = ByteBuffer.wrap(bytes, MAGIC.length, HEAD - MAGIC.length);
        byte[] boot = new byte[16];
        var segment = new Segment(head.getLong(), head.getLong(), boot);
        head.get(boot);
        return segment.first >= 0 && Arrays.equals(segment.head(), 0, HEAD, bytes, 0, HEAD)
                ? segment
                : null;
    }

    /// Writes a record into `out`, which has room for it.
    void write(long index, long durable, byte[] entry, byte[] out, int at) {
        ByteBuffer.wrap(out, at, BEFORE)
                .putInt((int) salt)
                .putInt(entry.length)
                .putLong(index)
                .putLong(durable)
                .putInt(sum(index, durable, entry, 0, entry.length));
        System.arraycopy(entry, 0, out, at + BEFORE, entry.length);
    }

    private int sum(long index, long durable, byte[] bytes, int from, int length) {
        var fixed = ByteBuffer.allocate(28);
        fixed.putLong(salt).putLong(index).putLong(durable).putInt(length);
        sum.reset();
        sum.update(fixed.array());
        sum.update(bytes, from, length);
        return (int) sum.getValue();
    }

    /// The entry of the record at `at`, or null if there is no whole and undamaged one.
    byte @Nullable [] entry(byte[] bytes, int at, long index) {
        return bytes.length - at >= BEFORE && number(bytes, at, 8) == index && whole(bytes, at)
                ? Arrays.copyOfRange(bytes, at + BEFORE, at + BEFORE + length(bytes, at))
                : null;
    }

    private boolean whole(byte[] bytes, int at) {
        var before = ByteBuffer.wrap(bytes, at, BEFORE);
        int mark = before.getInt();
        int length = before.getInt();
        long index = before.getLong();
        long durable = before.getLong();
        return mark == (int) salt
                && length >= 0
                && length <= Tiles.LONGEST_ENTRY
                && length <= bytes.length - at - BEFORE
                && durable <= index
                && before.getInt() == sum(index, durable, bytes, at + BEFORE, length);
    }

    private static int length(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getInt(at + 4);
    }

    private static long number(byte[] bytes, int at, int offset) {
        return ByteBuffer.wrap(bytes).getLong(at + offset);
    }

    /// What a segment holds.
    ///
    /// @param entries up to the first record that is not whole
    /// @param end where they end in the file
    /// @param rest how many bytes of something else follow; zeros are room for more
    /// @param damaged whether what follows shows that entries which are missing were acknowledged
    record Scan(Segment segment, List<byte[]> entries, int end, int rest, boolean damaged) {
        long next() {
            return segment.first + entries.size();
        }
    }

    static @Nullable Scan scan(byte[] bytes) {
        var segment = read(bytes);
        if (segment == null) {
            return null;
        }
        var entries = new ArrayList<byte[]>();
        int at = HEAD;
        while (true) {
            byte[] entry = segment.entry(bytes, at, segment.first + entries.size());
            if (entry == null) {
                break;
            }
            entries.add(entry);
            at += BEFORE + entry.length;
        }
        int last = bytes.length;
        while (last > at && bytes[last - 1] == 0) {
            last--;
        }
        return new Scan(
                segment,
                entries,
                at,
                last - at,
                segment.acknowledged(bytes, at, last, entries.size()));
    }

    /// Whether a record behind `at` says that more than `count` entries were on the disk.
    private boolean acknowledged(byte[] bytes, int at, int last, int count) {
        for (int i = at; i < last && i <= bytes.length - BEFORE; i++) {
            if (whole(bytes, i) && number(bytes, i, 16) > first + count) {
                return true;
            }
        }
        return false;
    }
}
