// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.O_CREAT;
import static dev.writ.kernel.FileCalls.O_DIRECTORY;
import static dev.writ.kernel.FileCalls.O_EXCL;
import static dev.writ.kernel.FileCalls.O_NOFOLLOW;
import static dev.writ.kernel.FileCalls.O_PATH;
import static dev.writ.kernel.FileCalls.O_RDWR;
import static dev.writ.kernel.FileCalls.O_TMPFILE_BIT;
import static dev.writ.kernel.FileCalls.O_TRUNC;
import static dev.writ.kernel.FileCalls.O_WRONLY;
import static dev.writ.kernel.FileCalls.S_IFMT;
import static dev.writ.kernel.FileCalls.S_IFREG;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.file.Draft;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.kernel.Credentials;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileAttributes;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/// New contents of a file, in one that has no name yet. Belongs to one thread at a time.
final class HostDraft implements Draft {
    private static final int MODE = 0666;
    private static final int MODE_OF_PROGRAMS = 0777;
    private static final int PERMISSIONS = 0777;
    private static final int NOTHING = -1;
    private static final byte[] HERE = {'.'};
    private static final byte[] TEMPORARY = Walker.bytes("/tmp");
    private static final AtomicLong COUNT = new AtomicLong();

    private final HostFiles files;
    private final Wish wish;
    private final String shown;
    private final byte[] name;
    private final FilePath judged;
    private final Held held;
    private final FileChannel channel;
    private final byte[] aside =
            Walker.bytes(".writ-" + COUNT.incrementAndGet() + "-" + System.nanoTime() + ".tmp");
    private boolean closed;

    /// What is held until this is closed.
    ///
    /// @param folder where the name is
    /// @param old what had the name; [#NOTHING] if nothing had
    /// @param spool the new content
    /// @param beside whether that lies where it can get a name in the folder
    private record Held(int folder, int old, int spool, boolean beside) {
        private void close() {
            try (var kernel = new Kernel()) {
                var calls = new FileCalls(kernel);
                calls.close(folder);
                calls.close(old);
                calls.close(spool);
            }
        }
    }

    private HostDraft(
            HostFiles files, Wish wish, String shown, byte[] name, FilePath judged, Held held) {
        this.files = files;
        this.wish = wish;
        this.shown = shown;
        this.name = name;
        this.judged = judged;
        this.held = held;
        this.channel = HostFiles.channel(held.spool(), READ, WRITE);
    }

    /// One for what has the name, or shall have it.
    static HostDraft begin(
            HostFiles files, Worker worker, Walker.Slot slot, Wish wish, String shown) {
        slot.requireReachable();
        if (slot.mustBeFolder()) {
            throw new Failed(Errno.EISDIR);
        }
        int old = find(worker, slot.folder(), slot.name());
        var judged = slot.path();
        if (old == NOTHING) {
            files.judge().require(worker, new Action.WriteFile(judged));
        } else {
            var found = new Walker.Found(old, worker.files.place(old), 0, 0);
            HostFiles.requireFile(worker, found);
            if (!files.judge().permits(worker, found, false, true)) {
                throw new Failed(Errno.EACCES);
            }
            judged = files.judge().path(found.place());
        }
        files.judge().requireNoFolder(worker, slot.path());
        requireWish(worker, old, wish, shown);
        var held = hold(worker, slot.folder(), old, wish);
        try {
            return new HostDraft(files, wish, shown, slot.name(), judged, held);
        } catch (Failed e) {
            held.close();
            throw e;
        }
    }

    private static Held hold(Worker worker, int folder, int old, Wish wish) {
        takeUmask(worker);
        int flags = O_TMPFILE_BIT | O_DIRECTORY | O_RDWR;
        int spool = worker.files.open(folder, HERE, flags, mode(wish));
        boolean beside = spool >= 0;
        if (!beside) {
            // Not every file system has files without a name, and not every folder lets them in.
            spool = worker.files.open(FileCalls.AT_FDCWD, TEMPORARY, flags, mode(wish));
        }
        worker.keep(spool);
        var held =
                new Held(
                        worker.files.copy(folder),
                        old == NOTHING ? NOTHING : worker.files.copy(old),
                        worker.files.copy(spool),
                        beside);
        if (held.folder() < 0 || held.spool() < 0 || held.old() < NOTHING) {
            held.close();
            throw new Failed(Errno.EMFILE);
        }
        return held;
    }

    private static void takeUmask(Worker worker) {
        Credentials.umask(worker.kernel, new Caller.Application(worker).umask());
    }

    private static int mode(Wish wish) {
        return wish.runs() ? MODE_OF_PROGRAMS : MODE;
    }

    /// What has the name; [#NOTHING] if nothing has.
    private static int find(Worker worker, int folder, byte[] name) {
        int handle = worker.files.open(folder, name, O_PATH | O_NOFOLLOW, 0);
        if (handle < 0 && handle != -Errno.ENOENT) {
            throw new Failed(-handle);
        }
        return handle < 0 ? NOTHING : worker.keep(handle);
    }

    private static void requireWish(Worker worker, int handle, Wish wish, String shown) {
        if (wish.fresh() && handle != NOTHING) {
            throw new Failed(Errno.EEXIST);
        }
        if (wish.tag().isEmpty()) {
            return;
        }
        var tag =
                handle == NOTHING || worker.files.look(handle) < 0
                        ? Optional.<String>empty()
                        : Optional.of(Statuses.of(worker.files).tag());
        if (tag.isEmpty() || !(wish.tag().equals(tag) || wish.tag().get().equals(Wish.SOME))) {
            throw changed(shown);
        }
    }

    private static FileException changed(String shown) {
        return new FileException(
                Kind.CHANGED,
                "`" + shown + "`: it has changed meanwhile, and was left as it is; read it again");
    }

    @Override
    public void write(ByteBuffer bytes) {
        files.usage().takeRoom(bytes.remaining());
        files.requireRoom(shown);
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new FileException(Kind.NO_ROOM, "`" + shown + "`: " + e.getMessage());
        }
    }

    @Override
    public FileStatus commit() {
        var into =
                files.errand()
                        .run(
                                shown,
                                worker -> {
                                    var path =
                                            files.judge()
                                                    .path(worker.files.place(held.folder()))
                                                    .resolve(Places.text(name, 0, name.length));
                                    if (!path.equals(judged) || files.judge().isOver()) {
                                        // The folder has moved meanwhile, or the token has ended.
                                        files.judge().require(worker, new Action.WriteFile(path));
                                    }
                                    synchronized (Entries.MOVING) {
                                        return put(worker, path);
                                    }
                                });
        // ORDER: not on a thread that acts for sandboxes, nor while nobody may move: it can be
        // long.
        into.ifPresent(this::copy);
        return files.errand().run(shown, this::status);
    }

    private FileStatus status(Worker worker) {
        int handle = find(worker, held.folder(), name);
        if (handle == NOTHING || worker.files.look(handle) < 0) {
            throw changed(shown);
        }
        return Statuses.of(worker.files);
    }

    /// @return what the content has to be copied into, if it is not there yet
    private Optional<FileChannel> put(Worker worker, FilePath path) {
        int now = find(worker, held.folder(), name);
        requireWish(worker, now, wish, shown);
        if (now == NOTHING && held.beside()) {
            require(worker.files.link(held.spool(), held.folder(), name));
            files.usage().takeRoom(Usage.NEW_FILE);
        } else if (now != NOTHING && held.beside() && mayReplace(worker, now, path)) {
            replace(worker);
        } else {
            return Optional.of(overwrite(worker, now));
        }
        return Optional.empty();
    }

    /// Whether nothing but the content changes if another file takes the place of this one. What
    /// stands beside it for a moment could be exchanged, so it must not have less rights there.
    private boolean mayReplace(Worker worker, int now, FilePath path) {
        var beside = path.parent().resolve(Places.text(aside, 0, aside.length));
        int group = worker.files.look(held.spool()) < 0 ? NOTHING : worker.files.group();
        return !hasAttributes(worker, now)
                && worker.files.look(now) == 0
                && (worker.files.mode() & S_IFMT) == S_IFREG
                && worker.files.links() == 1
                && worker.files.owner() == Credentials.userId(worker.kernel)
                && worker.files.group() == group
                && files.judge().isAllowed(new Action.WriteFile(beside))
                && files.judge().keepsItsRights(beside, path);
    }

    /// Attributes and lists of who may do what. Labels do not count, which the system gives.
    private static boolean hasAttributes(Worker worker, int handle) {
        var names = worker.attributes.list(handle, FileAttributes.MOST);
        if (names.result() == -Errno.EOPNOTSUPP) {
            return false;
        }
        return names.result() < 0
                || Stream.of(new String(names.bytes(), ISO_8859_1).split("\0"))
                        .anyMatch(name -> !name.isEmpty() && !name.startsWith("security."));
    }

    private void replace(Worker worker) {
        int mode = worker.files.mode() & PERMISSIONS; // of what was looked at last
        require(worker.files.changeMode(held.spool(), mode));
        require(worker.files.link(held.spool(), held.folder(), aside));
        int result = worker.files.rename(held.folder(), aside, held.folder(), name, 0);
        if (result < 0) {
            worker.files.remove(held.folder(), aside, 0);
            throw new Failed(-result);
        }
    }

    /// Into the very file that was judged.
    private FileChannel overwrite(Worker worker, int now) {
        int file;
        if (held.old() == NOTHING) {
            int flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY;
            takeUmask(worker);
            file = worker.files.open(held.folder(), name, flags, mode(wish));
            files.usage().takeRoom(Usage.NEW_FILE);
        } else if (isSame(worker, now)) {
            file = worker.files.reopen(held.old(), O_WRONLY | O_TRUNC);
        } else {
            throw changed(shown);
        }
        return HostFiles.channel(worker.keep(file), WRITE);
    }

    private void copy(FileChannel into) {
        try (var to = into) {
            long done = 0;
            for (long size = channel.size(); done < size; ) {
                done += channel.transferTo(done, size - done, to);
            }
        } catch (IOException e) {
            throw new FileException(Kind.NO_ROOM, "`" + shown + "`: " + e.getMessage());
        }
    }

    private boolean isSame(Worker worker, int now) {
        if (now == NOTHING || worker.files.look(now) < 0) {
            return false;
        }
        long inode = worker.files.inode();
        long device = worker.files.device();
        return worker.files.look(held.old()) == 0
                && worker.files.inode() == inode
                && worker.files.device() == device;
    }

    private static void require(int result) {
        if (result < 0) {
            throw new Failed(-result);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            held.close();
            try {
                channel.close();
            } catch (IOException e) {
                // Nobody has seen it, and nobody will.
            }
        }
    }
}
