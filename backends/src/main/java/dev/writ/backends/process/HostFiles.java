// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.AT_FDCWD;
import static dev.writ.kernel.FileCalls.AT_REMOVEDIR;
import static dev.writ.kernel.FileCalls.O_DIRECTORY;
import static dev.writ.kernel.FileCalls.O_NOCTTY;
import static dev.writ.kernel.FileCalls.O_NONBLOCK;
import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFLNK;
import static dev.writ.kernel.FileCalls.S_IFMT;
import static dev.writ.kernel.FileCalls.S_IFREG;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.Text;
import dev.writ.core.file.Draft;
import dev.writ.core.file.FileAccess;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFile;
import dev.writ.core.file.OpenFolder;
import dev.writ.core.file.Spot;
import dev.writ.kernel.Errno;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BiFunction;

/// Reaches for files as a confined program does, for the host application: by the same walk, before
/// the same judge. No process is of the sandbox here, so `/proc/self` is nobody's.
///
/// @param usage what is written in the session this way, and how much may be
record HostFiles(Judge judge, Usage usage, Errand errand) implements FileAccess {
    private static final int MOST_LINKS = 40;
    private static final int FOLDER_MODE = 0777;

    @Override
    public FileAccess waitedForBy(Asker asker) {
        return new HostFiles(judge, usage, errand.waitedForBy(asker));
    }

    @Override
    public FileStatus look(Spot spot) {
        return at(
                spot,
                (worker, walker) -> {
                    requireRead(worker, find(walker, spot));
                    return Statuses.of(worker.files);
                });
    }

    @Override
    public OpenFile read(Spot spot) {
        return at(
                spot,
                (worker, walker) -> {
                    var found = find(walker, spot);
                    requireFile(worker, found);
                    requireRead(worker, found);
                    var status = Statuses.of(worker.files);
                    int opened =
                            worker.keep(worker.files.reopen(found.handle(), O_NOCTTY | O_NONBLOCK));
                    return new OpenFile(status, channel(opened, StandardOpenOption.READ));
                });
    }

    @Override
    public OpenFolder folder(Spot spot) {
        return at(
                spot,
                (worker, walker) -> {
                    var found = find(walker, spot);
                    if (type(worker, found) != S_IFDIR) {
                        throw new Failed(Errno.ENOTDIR);
                    }
                    requireRead(worker, found);
                    int opened = worker.files.reopen(found.handle(), O_DIRECTORY);
                    if (opened < 0) {
                        throw new Failed(-opened);
                    }
                    return new HostFolder(opened, judge, errand, shown(spot));
                });
    }

    @Override
    public Draft write(Spot spot, Draft.Wish wish) {
        return at(
                spot,
                (worker, walker) ->
                        HostDraft.begin(
                                this, worker, target(worker, walker, spot), wish, shown(spot)));
    }

    @Override
    public void makeFolder(Spot spot) {
        change(
                spot,
                Errno.EEXIST,
                (worker, slot) ->
                        entries(worker)
                                .makeFolder(new Caller.Application(worker), slot, FOLDER_MODE));
    }

    @Override
    public void makeLink(Spot spot, String target) {
        change(
                spot,
                Errno.EEXIST,
                (worker, slot) ->
                        entries(worker)
                                .symlink(
                                        new Caller.Application(worker),
                                        slot,
                                        Places.bytes(target)));
    }

    @Override
    public String readLink(Spot spot) {
        return at(
                spot,
                (worker, walker) -> {
                    var found = find(walker, spot.itself());
                    if (type(worker, found) != S_IFLNK) {
                        throw new Failed(Errno.EINVAL);
                    }
                    requireRead(worker, found);
                    byte[] target = worker.files.readLink(found.handle(), new byte[0]);
                    return Places.text(target, 0, target.length);
                });
    }

    @Override
    public void remove(Spot spot) {
        change(
                spot,
                Errno.EBUSY,
                (worker, slot) -> {
                    var entries = entries(worker);
                    int flags = entries.type(slot) == S_IFDIR ? AT_REMOVEDIR : 0;
                    return entries.remove(new Caller.Application(worker), slot, flags);
                });
    }

    @Override
    public void move(Spot from, Spot to) {
        change(
                from,
                Errno.EBUSY,
                (worker, slot) -> {
                    var walker = walker(worker);
                    var other = walker.slotFrom(base(to), path(to), Errno.EBUSY);
                    return entries(worker).rename(new Caller.Application(worker), slot, other, 0);
                });
    }

    private void change(Spot spot, int noName, BiFunction<Worker, Walker.Slot, Long> change) {
        at(
                spot,
                (worker, walker) -> {
                    var slot = walker.slotFrom(base(spot), path(spot), noName);
                    long result = change.apply(worker, slot);
                    if (result < 0) {
                        throw new Failed((int) -result);
                    }
                    requireRoom(shown(spot));
                    return result;
                });
    }

    private <T> T at(Spot spot, BiFunction<Worker, Walker, T> work) {
        requireSense(spot);
        return errand.run(shown(spot), worker -> work.apply(worker, walker(worker)));
    }

    /// A name in a folder is one name, and any other path begins at the root.
    private static void requireSense(Spot spot) {
        String path = spot.path();
        boolean sense =
                spot.folder().isPresent()
                        ? path.indexOf('/') < 0 && !path.equals(".") && !path.equals("..")
                        : path.startsWith("/");
        if (!sense || path.isEmpty() || path.indexOf('\0') >= 0) {
            throw new FileException(Kind.INVALID, "`" + shown(spot) + "`: not a path");
        }
    }

    static String shown(Spot spot) {
        return Text.shown(spot.path());
    }

    private Walker walker(Worker worker) {
        return new Walker(worker, judge.members());
    }

    private Entries entries(Worker worker) {
        return new Entries(worker, judge, usage);
    }

    private static int base(Spot spot) {
        return spot.folder().map(f -> ((HostFolder) f).descriptor()).orElse(AT_FDCWD);
    }

    private static byte[] path(Spot spot) {
        return Places.bytes(spot.path());
    }

    private static Walker.Found find(Walker walker, Spot spot) {
        return walker.findFrom(base(spot), 0, path(spot), spot.follow());
    }

    /// The name that would be written to: links at the end are followed, also those that lead
    /// nowhere.
    private static Walker.Slot target(Worker worker, Walker walker, Spot spot) {
        int base = base(spot);
        byte[] path = path(spot);
        for (int i = 0; i < MOST_LINKS; i++) {
            var slot = walker.slotFrom(base, path, Errno.EISDIR);
            if (Places.isPrivateOfStranger(slot.path(), true)) {
                throw new Failed(Errno.EACCES);
            }
            byte[] target = worker.files.readLink(slot.folder(), slot.name());
            if (target.length == 0 || !spot.follow()) {
                return slot;
            }
            base = AT_FDCWD;
            path =
                    target[0] == '/'
                            ? target
                            : Walker.join(worker.files.place(slot.folder()), target);
        }
        throw new Failed(Errno.ELOOP);
    }

    private static int type(Worker worker, Walker.Found found) {
        return worker.files.look(found.handle()) < 0 ? 0 : worker.files.mode() & S_IFMT;
    }

    /// ORDER: before it is opened. To open a pipe or a device is to do something to it.
    static void requireFile(Worker worker, Walker.Found found) {
        int type = type(worker, found);
        if (type != S_IFREG) {
            throw new Failed(
                    type == S_IFDIR ? Errno.EISDIR : type == S_IFLNK ? Errno.ELOOP : Errno.ENXIO);
        }
    }

    private void requireRead(Worker worker, Walker.Found found) {
        if (!judge.permits(worker, found, true, false)) {
            throw new Failed(Errno.EACCES);
        }
    }

    void requireRoom(String shown) {
        if (!usage.hasRoom()) {
            throw new FileException(
                    Kind.NO_ROOM, "`" + shown + "`: the policy's limit for `disk` is reached");
        }
    }

    /// What is open as `descriptor`, for Java. It stays the same object.
    static FileChannel channel(int descriptor, OpenOption... options) {
        try {
            return FileChannel.open(Path.of("/proc/self/fd/" + descriptor), options);
        } catch (IOException e) {
            throw new Failed(Errno.EACCES);
        }
    }
}
