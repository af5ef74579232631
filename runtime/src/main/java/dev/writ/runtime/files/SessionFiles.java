// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.file.Draft;
import dev.writ.core.file.FileAccess;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFile;
import dev.writ.core.file.OpenFolder;
import dev.writ.core.file.Spot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The files of a session, as its programs could reach them: no program runs for it, and everything
/// is judged, recorded and bounded. Paths are absolute, or seen from the session's folder.
///
/// Every method throws [FileException] for what does not come about.
public final class SessionFiles {
    /// The most that is read or edited in one piece.
    public static final int MOST_BYTES = 8 << 20;

    private static final int MOST_ENTRIES = 100_000;
    private static final int SMALLEST = 4096;
    private static final int LONGEST_PATH = 4095;

    private final FileAccess access;
    private final FilePath folder;

    public SessionFiles(FileAccess access, FilePath folder) {
        this.access = access;
        this.folder = folder;
    }

    /// The same for somebody in particular: a question to the operator lasts as long as they wait.
    public SessionFiles waitedForBy(Asker asker) {
        return new SessionFiles(access.waitedForBy(asker), folder);
    }

    /// What lies at `path`; a link there is followed.
    public FileStatus stat(String path) {
        return access.look(spot(path));
    }

    /// The same of the link itself.
    public FileStatus statLink(String path) {
        return access.look(spot(path).itself());
    }

    /// Opens a file, to be read bit by bit.
    public OpenFile open(String path) {
        return access.read(spot(path));
    }

    /// Up to `length` bytes from `offset` on.
    public byte[] read(String path, long offset, int length) {
        try (var file = open(path)) {
            return bytes(file, offset, Math.min(length, MOST_BYTES));
        }
    }

    /// All of a file.
    public byte[] read(String path) {
        try (var file = open(path)) {
            byte[] bytes = bytes(file, 0, MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new FileException(
                        Kind.TOO_MUCH,
                        shown(path) + ": more than " + MOST_BYTES + " bytes; read it in parts");
            }
            return bytes;
        }
    }

    static byte[] bytes(OpenFile file, long offset, int most) {
        try {
            // One more than it says, so that its end shows.
            int size = Math.clamp(file.status().size() + 1, Math.min(SMALLEST, most), most);
            var bytes = ByteBuffer.allocate(size);
            long at = offset;
            for (int read = 0; read >= 0 && bytes.position() < most; at += read) {
                if (!bytes.hasRemaining()) {
                    // It has grown, or does not say how long it is.
                    int more = (int) Math.min(2L * bytes.capacity(), most);
                    bytes = ByteBuffer.allocate(more).put(bytes.flip());
                }
                read = file.channel().read(bytes, at);
            }
            byte[] all = new byte[bytes.position()];
            bytes.get(0, all);
            return all;
        } catch (IOException e) {
            throw new FileException(Kind.FAILED, "it cannot be read: " + e.getMessage());
        }
    }

    /// Begins a file or a new content for one, to be written bit by bit. See [Draft] for how it
    /// takes its place.
    public Draft write(String path, Draft.Wish wish) {
        return access.write(spot(path), wish);
    }

    /// Writes a whole file.
    public FileStatus write(String path, byte[] bytes, Draft.Wish wish) {
        try (var draft = write(path, wish)) {
            draft.write(ByteBuffer.wrap(bytes));
            return draft.commit();
        }
    }

    /// Replaces `old` by `text` in a file.
    ///
    /// @param all whether it may be there more than once, and is replaced everywhere
    /// @return how often it was
    public int edit(String path, String old, String text, boolean all) {
        return new Edit(this, path, old, text, all).apply();
    }

    /// Removes a file, a link or a folder.
    ///
    /// @param recursive whether with everything in it; what may not be removed stops that
    public void delete(String path, boolean recursive) {
        var spot = spot(path).itself();
        if (recursive) {
            new Clearing(access).remove(spot);
        } else {
            access.remove(spot);
        }
    }

    /// What is in a folder, by name.
    public List<OpenFolder.Entry> list(String path) {
        try (var opened = access.folder(spot(path))) {
            return entries(opened, shown(path));
        }
    }

    static List<OpenFolder.Entry> entries(OpenFolder opened, String shown) {
        var all = new ArrayList<OpenFolder.Entry>();
        for (var some = opened.next(); !some.isEmpty(); some = opened.next()) {
            all.addAll(some);
            if (all.size() > MOST_ENTRIES) {
                throw new FileException(
                        Kind.TOO_MUCH, shown + ": more than " + MOST_ENTRIES + " names");
            }
        }
        all.sort(Comparator.comparing(OpenFolder.Entry::name));
        return all;
    }

    /// Makes a folder.
    ///
    /// @param parents whether with those that it lies in, and also if it is there already
    public void makeFolder(String path, boolean parents) {
        if (!parents) {
            access.makeFolder(spot(path));
            return;
        }
        var steps = FilePath.of(absolute(path));
        for (int i = 1; i <= steps.segments().size(); i++) {
            var step = new FilePath(steps.segments().subList(0, i));
            // Those of the session's own folder are there, and need no right.
            if (!folder.startsWith(step)) {
                makeIfMissing(access, Spot.of(step.toString()));
            }
        }
    }

    static void makeIfMissing(FileAccess access, Spot spot) {
        try {
            access.makeFolder(spot);
        } catch (FileException e) {
            if (e.kind() != Kind.EXISTS) {
                throw e;
            }
        }
    }

    /// Gives something another name, instead of what has that name now.
    public void move(String from, String to) {
        access.move(spot(from).itself(), spot(to).itself());
    }

    /// The files and folders below `path` whose paths, seen from there, look like `pattern`.
    public Found<String> glob(String pattern, String path, int most) {
        var look = new GlobPattern(pattern);
        var hits = new Hits<String>(most);
        new Descent(access, hits)
                .each(
                        spot(path),
                        (below, entry, _) -> {
                            if (look.matches(below)) {
                                hits.add(below);
                            }
                            return true;
                        });
        return hits.found();
    }

    /// The lines in files at or below `path` that fit.
    public Found<Grep.Line> grep(Grep.Query query, String path) {
        return new Grep(access, query).search(spot(path));
    }

    /// Writes what may be read of a folder to `out`, as a tar archive.
    ///
    /// @param exclude what is left out, as in [#glob]
    public void pack(String path, Optional<String> exclude, OutputStream out) throws IOException {
        new Packing(access, exclude.map(GlobPattern::new), out).pack(spot(path));
    }

    /// Puts a tar archive into a folder. What went before an entry that is refused stays.
    ///
    /// @return how many entries it had
    public int unpack(String path, InputStream in) throws IOException {
        return new Unpacking(access, in).unpack(spot(path));
    }

    /// Where a path of the session leads from.
    Spot spot(String path) {
        return Spot.of(absolute(path));
    }

    private String absolute(String path) {
        if (path.isEmpty() || path.indexOf('\0') >= 0 || path.length() > LONGEST_PATH) {
            throw new FileException(
                    Kind.INVALID, "a path is not empty, holds no NUL, and has at most 4095 bytes");
        }
        return path.startsWith("/") ? path : folder + "/" + path;
    }

    static String shown(String path) {
        return "`" + Text.shown(path) + "`";
    }
}
