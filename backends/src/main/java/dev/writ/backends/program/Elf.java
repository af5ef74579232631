// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A 64-bit little-endian ELF file, as far as it tells a loader from a program. Whoever made the
/// file may be hostile: no number in it is trusted, and what makes no sense is not there.
final class Elf {
    private static final int ET_DYN = 3;
    private static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;
    private static final int PT_INTERP = 3;
    private static final int DT_STRTAB = 5;
    private static final int DT_STRSZ = 10;
    private static final int DT_SONAME = 14;
    private static final int HEADER = 64;
    private static final int PROGRAM_HEADER = 56;
    private static final int MOST = 1 << 20;

    /// A program header.
    private record Segment(int type, long offset, long address, long length) {}

    private final FileChannel file;
    private final boolean isShared;
    private final List<Segment> segments;

    private Elf(FileChannel file, boolean isShared, List<Segment> segments) {
        this.file = file;
        this.isShared = isShared;
        this.segments = segments;
    }

    /// What a shared object that needs no interpreter says of itself.
    ///
    /// @param name its own name; empty if it has none
    /// @param strings all names in it, each between zeros
    record SelfContained(String name, String strings) {}

    /// What the file says if it is self-contained and no ordinary program.
    static Optional<SelfContained> selfContained(Path path) throws IOException {
        try (var file = Contents.open(path)) {
            var elf = read(file);
            return elf.isShared && elf.segment(PT_INTERP).isEmpty()
                    ? elf.names()
                    : Optional.empty();
        }
    }

    private static Elf read(FileChannel file) throws IOException {
        var header = bytes(file, 0, HEADER);
        if (header.limit() < HEADER
                || header.order(ByteOrder.BIG_ENDIAN).getInt(0) != 0x7f454c46
                || header.get(4) != 2
                || header.get(5) != 1) {
            return new Elf(file, false, List.of());
        }
        header.order(ByteOrder.LITTLE_ENDIAN);
        int count = Short.toUnsignedInt(header.getShort(56));
        var table = bytes(file, header.getLong(32), (long) count * PROGRAM_HEADER);
        var segments = new ArrayList<Segment>();
        for (int at = 0; at + PROGRAM_HEADER <= table.limit(); at += PROGRAM_HEADER) {
            segments.add(
                    new Segment(
                            table.getInt(at),
                            table.getLong(at + 8),
                            table.getLong(at + 16),
                            table.getLong(at + 32)));
        }
        return new Elf(file, header.getShort(16) == ET_DYN, segments);
    }

    private Optional<Segment> segment(int type) {
        return segments.stream().filter(s -> s.type == type).findFirst();
    }

    private Optional<SelfContained> names() throws IOException {
        var dynamic = segment(PT_DYNAMIC);
        if (dynamic.isEmpty()) {
            return Optional.empty();
        }
        var entries = bytes(file, dynamic.get().offset, dynamic.get().length);
        String strings = "\0" + strings(entry(entries, DT_STRTAB), entry(entries, DT_STRSZ));
        long name = entry(entries, DT_SONAME) + 1;
        return Optional.of(new SelfContained(stringAt(strings, name), strings));
    }

    private static long entry(ByteBuffer entries, long tag) {
        for (int at = 0; at + 16 <= entries.limit(); at += 16) {
            if (entries.getLong(at) == tag) {
                return entries.getLong(at + 8);
            }
        }
        return 0;
    }

    private String strings(long address, long length) throws IOException {
        for (var s : segments) {
            if (s.type == PT_LOAD && address >= s.address && address - s.address < s.length) {
                return ISO_8859_1
                        .decode(bytes(file, s.offset + address - s.address, length))
                        .toString();
            }
        }
        return "";
    }

    private static String stringAt(String strings, long at) {
        if (at < 1 || at >= strings.length()) {
            return "";
        }
        int end = strings.indexOf('\0', (int) at);
        return end < 0 ? "" : strings.substring((int) at, end);
    }

    private static ByteBuffer bytes(FileChannel file, long offset, long length) throws IOException {
        var bytes = ByteBuffer.allocate(Math.clamp(length, 0, MOST));
        if (offset >= 0) {
            file.read(bytes, offset);
        }
        return bytes.flip().order(ByteOrder.LITTLE_ENDIAN);
    }
}
