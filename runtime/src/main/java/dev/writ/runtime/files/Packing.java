// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import dev.writ.core.capability.Text;
import dev.writ.core.file.FileAccess;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFolder;
import dev.writ.core.file.Spot;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Writes a folder as a tar archive: what may be read of it. Links are put in as links.
final class Packing {
    private static final int PIECE = 1 << 16;
    private static final long LARGEST = 0_77777777777L;
    private static final int LINK_MODE = 0777;

    private final FileAccess access;
    private final Optional<GlobPattern> exclude;
    private final OutputStream out;
    private final Hits<String> hits = Hits.untimed();
    private final Descent descent;

    Packing(FileAccess access, Optional<GlobPattern> exclude, OutputStream out) {
        this.access = access;
        this.exclude = exclude;
        this.out = out;
        this.descent = new Descent(access, hits);
    }

    void pack(Spot top) throws IOException {
        try {
            descent.each(top, this::add);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        if (!hits.found().cut().isEmpty()) {
            throw new FileException(Kind.TOO_MUCH, "not all of it: " + hits.found().cut());
        }
        out.write(new byte[2 * TarHeader.BLOCK]);
    }

    private boolean add(String path, OpenFolder.Entry entry, Spot spot) {
        if (exclude.isPresent() && exclude.get().matches(path)) {
            return false;
        }
        try {
            switch (entry.type()) {
                case FOLDER -> entry.status().ifPresent(s -> header(path + "/", '5', s, 0, ""));
                case FILE -> file(path, spot);
                case LINK -> {
                    String target = access.readLink(spot);
                    entry.status().ifPresent(s -> header(path, '2', s, 0, target));
                }
                case OTHER -> {} // has no content of its own
            }
        } catch (FileException e) {
            descent.leaveOut(e);
        }
        return true;
    }

    private void file(String path, Spot spot) {
        try (var file = access.read(spot)) {
            long size = file.status().size();
            header(path, '0', file.status(), size, "");
            byte[] piece = new byte[PIECE];
            long at = 0;
            while (at < size) {
                var into = ByteBuffer.wrap(piece, 0, (int) Math.min(PIECE, size - at));
                int read = file.channel().read(into, at);
                if (read < 0) {
                    throw new IOException("`" + path + "` has become shorter meanwhile");
                }
                out.write(piece, 0, read);
                at += read;
            }
            out.write(new byte[(int) (-size & (TarHeader.BLOCK - 1))]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void header(String path, char type, FileStatus status, long size, String link) {
        try {
            var more = new StringBuilder();
            if (!isText(path) || !isText(link)) {
                more.append(PaxFields.field("hdrcharset", "BINARY"));
            }
            if (!isPlain(path)) {
                more.append(PaxFields.field("path", path));
            }
            if (!isPlain(link)) {
                more.append(PaxFields.field("linkpath", link));
            }
            if (size > LARGEST) {
                more.append(PaxFields.field("size", Long.toString(size)));
            }
            long modified = status.modified().getEpochSecond();
            if (!more.isEmpty()) {
                byte[] fields = Text.bytes(more.toString());
                out.write(TarHeader.of("pax", 'x', 0644, fields.length, modified, "").block());
                out.write(fields);
                out.write(new byte[-fields.length & (TarHeader.BLOCK - 1)]);
            }
            int mode = type == '2' ? LINK_MODE : status.permissions() & 0777;
            out.write(
                    TarHeader.of(
                                    isPlain(path) ? path : "long",
                                    type,
                                    mode,
                                    Math.min(size, LARGEST),
                                    modified,
                                    isPlain(link) ? link : "long")
                            .block());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isPlain(String name) {
        return name.length() <= TarHeader.NAME && name.chars().allMatch(c -> c > 0 && c < 0x80);
    }

    /// Whether none of its bytes is anything but UTF-8.
    private static boolean isText(String name) {
        return name.codePoints().noneMatch(c -> c >= 0xD800 && c <= 0xDFFF);
    }
}
