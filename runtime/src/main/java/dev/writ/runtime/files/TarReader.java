// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.writ.core.capability.Text;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads a tar archive of strangers, bit by bit: what is not understood is refused. Long names are
/// read as pax and GNU write them.
final class TarReader {
    private static final int LONGEST_NAME = 1 << 16;
    private static final long LARGEST = 1L << 60;

    private final InputStream in;
    private long left;
    private int padding;

    TarReader(InputStream in) {
        this.in = in;
    }

    /// What is in it.
    ///
    /// @param type as tar has it: `0` is a file, `5` a folder, `2` a symbolic link
    record Entry(String name, char type, long size, int mode, String link) {}

    /// The next one; empty at the end. What was not read of the one before is passed over.
    Optional<Entry> next() throws IOException {
        @Nullable String name = null;
        @Nullable String link = null;
        @Nullable String size = null;
        while (true) {
            passOver();
            var header = new TarHeader(block());
            if (header.isEmpty()) {
                drain();
                return Optional.empty();
            }
            header.requireWhole();
            left = header.size();
            padding = (int) (-left & (TarHeader.BLOCK - 1));
            switch (header.type()) {
                case 'x' -> {
                    var fields = new PaxFields(text(header));
                    requireWhole(fields);
                    name = fields.get("path", name);
                    link = fields.get("linkpath", link);
                    size = fields.get("size", size);
                }
                case 'g' -> text(header); // holds for nothing that is looked at here
                case 'L' -> name = upToZero(text(header));
                case 'K' -> link = upToZero(text(header));
                default -> {
                    return Optional.of(entry(header, name, link, size));
                }
            }
        }
    }

    private Entry entry(
            TarHeader header, @Nullable String name, @Nullable String link, @Nullable String size) {
        String what = name == null ? name(header.name()) : name;
        if (size != null) {
            try {
                left = Long.parseLong(size);
            } catch (NumberFormatException e) {
                left = -1;
            }
        }
        if (left < 0 || left > LARGEST) {
            throw new FileException(Kind.INVALID, "not a size of a file in a tar archive");
        }
        padding = (int) (-left & (TarHeader.BLOCK - 1));
        return new Entry(
                what,
                header.type(),
                left,
                header.mode(),
                link == null ? name(header.link()) : link);
    }

    /// What is left out of a sparse file stands in its content, in a form of its own.
    private static void requireWhole(PaxFields fields) {
        if (fields.hasSome("GNU.sparse.")) {
            throw new FileException(
                    Kind.INVALID, "sparse files are not taken; make the archive without them");
        }
    }

    private static String name(String bytes) {
        return Text.of(bytes.getBytes(ISO_8859_1));
    }

    private static String upToZero(String text) {
        int zero = text.indexOf('\0');
        return zero < 0 ? text : text.substring(0, zero);
    }

    /// Bytes of the entry at hand; -1 behind the last.
    int read(byte[] to) throws IOException {
        if (left == 0) {
            return -1;
        }
        int read = in.read(to, 0, (int) Math.min(to.length, left));
        if (read < 0) {
            throw new EOFException("the archive is shorter than it says");
        }
        left -= read;
        return read;
    }

    private String text(TarHeader header) throws IOException {
        if (header.size() > LONGEST_NAME) {
            throw new FileException(Kind.TOO_MUCH, "a name in the archive is too long");
        }
        byte[] bytes = in.readNBytes((int) left);
        left -= bytes.length;
        return Text.of(bytes);
    }

    private byte[] block() throws IOException {
        byte[] block = in.readNBytes(TarHeader.BLOCK);
        if (block.length < TarHeader.BLOCK) {
            throw new FileException(Kind.INVALID, "the archive ends too early");
        }
        return block;
    }

    private void passOver() throws IOException {
        in.skipNBytes(left + padding);
        left = 0;
        padding = 0;
    }

    /// What follows the end is filling.
    private void drain() throws IOException {
        byte[] some = new byte[8192];
        for (int n = in.read(some); n >= 0; n = in.read(some)) {
            for (int i = 0; i < n; i++) {
                if (some[i] != 0) {
                    throw new FileException(Kind.INVALID, "something follows the archive's end");
                }
            }
        }
    }
}
