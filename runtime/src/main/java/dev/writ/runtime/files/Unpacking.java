// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import dev.writ.core.file.Draft;
import dev.writ.core.file.FileAccess;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFolder;
import dev.writ.core.file.Spot;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Puts a tar archive of strangers into a folder, and nowhere else: each name is reached from that
/// folder by handles, through no link, whoever made one there.
final class Unpacking {
    private static final int MOST = 200_000;
    private static final int DEEPEST = 64;
    private static final int PIECE = 1 << 16;
    private static final int STARTABLE = 0100;

    private final FileAccess access;
    private final TarReader tar;

    Unpacking(FileAccess access, InputStream in) {
        this.access = access;
        this.tar = new TarReader(in);
    }

    /// @return how many entries there were
    int unpack(Spot top) throws IOException {
        int count = 0;
        try (var folder = access.folder(top)) {
            for (var next = tar.next(); next.isPresent(); next = tar.next()) {
                if (++count > MOST) {
                    throw new FileException(Kind.TOO_MUCH, "more than " + MOST + " entries");
                }
                put(folder, next.get());
            }
        } catch (EOFException e) {
            throw new FileException(Kind.INVALID, "the archive ends too early");
        }
        return count;
    }

    private void put(OpenFolder top, TarReader.Entry entry) throws IOException {
        var held = new ArrayDeque<OpenFolder>();
        try {
            var names = names(entry.name());
            if (names.isEmpty()) {
                requireFolder(entry);
                return; // the folder itself
            }
            var folder = top;
            for (var name : names.subList(0, names.size() - 1)) {
                SessionFiles.makeIfMissing(access, folder.at(name));
                folder = access.folder(folder.at(name));
                held.push(folder);
            }
            put(entry, folder.at(names.getLast()), names.size() - 1);
        } catch (FileException e) {
            throw new FileException(
                    e.kind(),
                    "entry " + SessionFiles.shown(entry.name()) + ": " + e.getMessage(),
                    e.refusal());
        } finally {
            held.forEach(OpenFolder::close);
        }
    }

    private void put(TarReader.Entry entry, Spot spot, int depth) throws IOException {
        switch (entry.type()) {
            case '0', '7' -> file(entry, spot);
            case '5' -> {
                SessionFiles.makeIfMissing(access, spot);
                access.folder(spot).close(); // and it is one
            }
            case '2' -> {
                requireInside(entry.link(), depth);
                link(entry.link(), spot);
            }
            default ->
                    throw new FileException(
                            Kind.INVALID, "only files, folders and symbolic links are taken");
        }
    }

    private void file(TarReader.Entry entry, Spot spot) throws IOException {
        boolean runs = (entry.mode() & STARTABLE) != 0;
        try (var draft = access.write(spot, new Draft.Wish(Optional.empty(), false, runs))) {
            byte[] piece = new byte[PIECE];
            for (int n = tar.read(piece); n >= 0; n = tar.read(piece)) {
                draft.write(ByteBuffer.wrap(piece, 0, n));
            }
            draft.commit();
        }
    }

    /// As with files: what has the name gives way, if it is of the same kind.
    private void link(String target, Spot spot) {
        try {
            access.makeLink(spot, target);
        } catch (FileException e) {
            if (e.kind() != Kind.EXISTS || !isLink(spot)) {
                throw e;
            }
            if (!access.readLink(spot).equals(target)) {
                access.remove(spot);
                access.makeLink(spot, target);
            }
        }
    }

    private boolean isLink(Spot spot) {
        return access.look(spot.itself()).type() == FileStatus.Type.LINK;
    }

    private static void requireFolder(TarReader.Entry entry) {
        if (entry.type() != '5') {
            throw new FileException(Kind.INVALID, "only a folder can be the folder itself");
        }
    }

    private static List<String> names(String path) {
        var names = new ArrayList<String>();
        for (var name : path.split("/")) {
            if (name.equals("..")) {
                throw new FileException(Kind.INVALID, "a name leads out of the folder");
            }
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        if (path.startsWith("/") || path.isEmpty() || names.size() > DEEPEST) {
            throw new FileException(
                    Kind.INVALID, "a name begins with no slash, and is not too deep");
        }
        return names;
    }

    /// A link that would lead out of the folder. Others may do so by way of further links; whoever
    /// goes there is judged by where that is.
    private static void requireInside(String target, int depth) {
        int at = target.startsWith("/") ? -1 : depth;
        for (var name : target.split("/")) {
            at += name.equals("..") ? -1 : name.isEmpty() || name.equals(".") ? 0 : 1;
            if (at < 0) {
                break;
            }
        }
        if (at < 0 || target.isEmpty()) {
            throw new FileException(Kind.INVALID, "the link leads out of the folder");
        }
    }
}
