// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.trust.file.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The folder of the write-ahead log: its segments, in the order of the entries in them.
final class Wal {
    /// A segment is begun anew behind this many bytes; a bit more, if a batch was large.
    static final int LONG = 16 << 20;

    static final int LARGEST = 512 << 20;

    /// One that is longer than this when a log is opened gets no more entries, because each opening
    /// reads it.
    static final int SHORT = 32 << 10;

    private final Path folder;

    Wal(Path log) {
        this.folder = log.resolve("wal");
    }

    Path folder() {
        return folder;
    }

    Path path(long first) {
        return folder.resolve(first + ".wal");
    }

    /// The first indexes of all segments, in order.
    List<Long> segments() throws IOException {
        var found = new ArrayList<Long>();
        if (!Files.isDirectory(folder)) {
            return found;
        }
        try (var paths = Files.newDirectoryStream(folder)) {
            for (var path : paths) {
                String name = path.getFileName().toString();
                if (name.matches("(0|[1-9][0-9]{0,17})\\.wal")) {
                    found.add(Long.valueOf(name.substring(0, name.length() - 4)));
                }
            }
        }
        found.sort(null);
        return found;
    }

    byte[] read(long first) throws IOException {
        byte[] bytes = WholeFile.read(path(first), LARGEST);
        if (bytes == null) {
            throw new IOException("`" + path(first) + "` has gone");
        }
        return bytes;
    }

    /// Notes that the last segment is as its writer left it, and all of it on the disk. It does not
    /// matter if the note is lost.
    void closed() throws IOException {
        WholeFile.replace(folder.resolve("closed"), state().getBytes(US_ASCII));
    }

    /// Whether nobody has written since that was noted.
    boolean isClosed() throws IOException {
        byte[] noted = WholeFile.read(folder.resolve("closed"), 100);
        return noted != null && new String(noted, US_ASCII).equals(state());
    }

    private String state() throws IOException {
        var all = segments();
        return all.isEmpty()
                ? "nothing"
                : all.getLast() + " " + Files.size(path(all.getLast())) + "\n";
    }
}
