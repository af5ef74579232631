// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.AT_FDCWD;
import static dev.writ.kernel.FileCalls.AT_REMOVEDIR;
import static dev.writ.kernel.FileCalls.AT_SYMLINK_FOLLOW;
import static dev.writ.kernel.FileCalls.S_IFBLK;
import static dev.writ.kernel.FileCalls.S_IFCHR;
import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFLNK;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.core.capability.Action;
import dev.writ.kernel.Credentials;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Limits;
import dev.writ.kernel.Notifications.Notification;

/// The calls that give, change and take names: mkdir(2), mknod(2), unlink(2), rename(2), link(2),
/// symlink(2). The folder is held by a handle and the name is judged in it; none of these calls
/// follows a link at the end.
final class Names {
    private static final int PERMISSIONS = 01777;
    private static final int RENAME_NOREPLACE = 1;
    private static final int RENAME_EXCHANGE = 2;
    private static final int PUNCH_HOLE = 2;
    private static final int COLLAPSE_RANGE = 8;

    /// Between the last look at what moves and the move nobody else may move it, whichever thread
    /// acts for them.
    private static final Object MOVING = new Object();

    private final Worker worker;
    private final Walker walker;
    private final Judge judge;
    private final Usage usage;

    Names(Worker worker, Walker walker, Judge judge, Usage usage) {
        this.worker = worker;
        this.walker = walker;
        this.judge = judge;
        this.usage = usage;
    }

    void mkdir(Notification call) {
        mkdir(call, AT_FDCWD, 0, (int) call.argument(1));
    }

    void mkdirat(Notification call) {
        mkdir(call, folder(call, 0), 1, (int) call.argument(2));
    }

    private void mkdir(Notification call, int folder, int path, int mode) {
        var slot = newSlot(call, folder, path, Errno.EEXIST);
        if (exists(slot)) {
            throw new Failed(Errno.EEXIST);
        }
        requireWrite(call, slot);
        takeUmask(call);
        made(call, worker.files.makeFolder(slot.folder(), slot.name(), mode & PERMISSIONS));
    }

    void mknod(Notification call) {
        mknod(call, AT_FDCWD, 0, (int) call.argument(1), call.argument(2));
    }

    void mknodat(Notification call) {
        mknod(call, folder(call, 0), 1, (int) call.argument(2), call.argument(3));
    }

    private void mknod(Notification call, int folder, int path, int mode, long device) {
        int type = mode & S_IFMT;
        if (type == S_IFCHR || type == S_IFBLK) {
            throw new Failed(Errno.EPERM);
        }
        var slot = newSlot(call, folder, path, Errno.EEXIST);
        requireNoFolder(slot);
        requireWrite(call, slot);
        takeUmask(call);
        made(
                call,
                worker.files.makeNode(
                        slot.folder(), slot.name(), mode & (S_IFMT | PERMISSIONS), device));
    }

    void unlink(Notification call) {
        remove(call, AT_FDCWD, 0, 0);
    }

    void rmdir(Notification call) {
        remove(call, AT_FDCWD, 0, AT_REMOVEDIR);
    }

    void unlinkat(Notification call) {
        remove(call, folder(call, 0), 1, (int) call.argument(2));
    }

    private void remove(Notification call, int folder, int path, int flags) {
        boolean rmdir = (flags & AT_REMOVEDIR) != 0;
        var slot = slot(call, folder, path, rmdir ? Errno.EINVAL : Errno.EISDIR);
        int type = type(slot);
        if (slot.mustBeFolder() && type != S_IFDIR) {
            throw new Failed(Errno.ENOTDIR);
        }
        requireWrite(call, slot);
        worker.answer(call, worker.files.remove(slot.folder(), slot.name(), flags));
    }

    void symlink(Notification call) {
        symlink(call, AT_FDCWD, 1);
    }

    void symlinkat(Notification call) {
        symlink(call, folder(call, 1), 2);
    }

    private void symlink(Notification call, int folder, int path) {
        byte[] target = worker.text(call.task(), call.argument(0));
        var slot = newSlot(call, folder, path, Errno.EEXIST);
        if (slot.mustBeFolder()) {
            throw new Failed(Errno.ENOENT);
        }
        requireNoFolder(slot);
        requireWrite(call, slot);
        made(call, worker.files.symlink(target, slot.folder(), slot.name()));
    }

    void link(Notification call) {
        link(call, AT_FDCWD, 0, AT_FDCWD, 1, 0);
    }

    void linkat(Notification call) {
        link(call, folder(call, 0), 1, folder(call, 2), 3, (int) call.argument(4));
    }

    private void link(
            Notification call, int folder, int path, int newFolder, int newPath, int flags) {
        if ((flags & ~AT_SYMLINK_FOLLOW) != 0) {
            throw new Failed(Errno.ENOENT); // AT_EMPTY_PATH needs a right that nobody here has
        }
        boolean follow = (flags & AT_SYMLINK_FOLLOW) != 0;
        byte[] text = worker.text(call.task(), call.argument(path));
        var found = walker.find(call.task(), folder, text, follow);
        var slot = newSlot(call, newFolder, newPath, Errno.EEXIST);
        if (slot.mustBeFolder()) {
            throw new Failed(Errno.ENOENT);
        }
        // A second name must not be a way around the rules for the first one.
        if (!judge.permits(worker, found, false, true)
                || (isNamed(found)
                        && !judge.keepsItsRights(judge.path(name(found)), slot.path()))) {
            throw new Failed(Errno.EXDEV);
        }
        requireNoFolder(slot); // folders cannot be linked
        requireWrite(call, slot);
        made(call, worker.files.link(found.handle(), slot.folder(), slot.name()));
    }

    private boolean isNamed(Walker.Found found) {
        return worker.files.look(found.handle()) == 0
                && Places.isNamed(found.place(), worker.files.links());
    }

    private static byte[] name(Walker.Found found) {
        return Places.looksRemoved(found.place())
                ? Places.withoutMark(found.place())
                : found.place();
    }

    void rename(Notification call) {
        rename(call, AT_FDCWD, 0, AT_FDCWD, 1, 0);
    }

    void renameat(Notification call) {
        rename(call, folder(call, 0), 1, folder(call, 2), 3, 0);
    }

    void renameat2(Notification call) {
        rename(call, folder(call, 0), 1, folder(call, 2), 3, (int) call.argument(4));
    }

    private void rename(
            Notification call, int folder, int path, int newFolder, int newPath, int flags) {
        if ((flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE)) != 0) {
            throw new Failed(Errno.EINVAL);
        }
        var from = slot(call, folder, path, Errno.EBUSY);
        var to = newSlot(call, newFolder, newPath, Errno.EBUSY);
        judge.require(worker, new Action.WriteFile(from.path()));
        requireWrite(call, to);
        // ORDER: what has the name is looked at last; while the operator was asked, it may have
        // been exchanged.
        synchronized (MOVING) {
            int type = type(from);
            boolean slash = from.mustBeFolder() || to.mustBeFolder();
            if (slash && type != S_IFDIR) {
                throw new Failed(Errno.ENOTDIR);
            }
            move(type, from, to);
            if ((flags & RENAME_EXCHANGE) != 0) {
                move(type(to), to, from);
            }
            worker.answer(
                    call,
                    worker.files.rename(from.folder(), from.name(), to.folder(), to.name(), flags));
        }
    }

    /// What moves must not gain rights by its new name. A folder whose contents would be treated
    /// differently there cannot move in one step: `mv` then copies it, and each file is judged.
    private void move(int type, Walker.Slot from, Walker.Slot to) {
        if (type != S_IFDIR) {
            requireNoFolder(to);
        }
        boolean keeps =
                type == S_IFDIR
                        ? judge.treatsAlike(from.path(), to.path())
                        : judge.keepsItsRights(from.path(), to.path());
        if (!keeps) {
            throw new Failed(Errno.EXDEV);
        }
    }

    void truncate(Notification call) {
        byte[] path = worker.text(call.task(), call.argument(0));
        var found = walker.find(call.task(), AT_FDCWD, path, true);
        if (!judge.permits(worker, found, false, true)) {
            throw new Failed(Errno.EACCES);
        }
        long length = call.argument(1);
        if (length > Limits.get(worker.kernel, call.task(), Limits.FILE_SIZE)) {
            throw new Failed(Errno.EFBIG);
        }
        worker.requireWaiting(call);
        worker.answer(call, worker.files.truncate(found.handle(), length));
    }

    /// fallocate(2): all that matters stands in registers.
    void allocate(Notification call) {
        boolean frees = (call.argument(1) & (PUNCH_HOLE | COLLAPSE_RANGE)) != 0;
        usage.takeRoom(frees ? 0 : call.argument(3));
        worker.notifications.letPass(call.id());
    }

    private void made(Notification call, long result) {
        if (result >= 0) {
            usage.takeRoom(Usage.NEW_FILE);
        }
        worker.answer(call, result);
    }

    private static int folder(Notification call, int index) {
        return (int) call.argument(index);
    }

    private Walker.Slot slot(Notification call, int folder, int path, int noName) {
        byte[] text = worker.text(call.task(), call.argument(path));
        return walker.slot(call.task(), folder, text, noName);
    }

    /// A name for something that is to have a path, by which it can be found and removed.
    private Walker.Slot newSlot(Notification call, int folder, int path, int noName) {
        var slot = slot(call, folder, path, noName);
        slot.requireReachable();
        return slot;
    }

    /// What has the name now.
    ///
    /// @throws Failed if nothing has it
    private int type(Walker.Slot slot) {
        int handle =
                worker.keep(
                        worker.files.open(
                                slot.folder(),
                                slot.name(),
                                FileCalls.O_PATH | FileCalls.O_NOFOLLOW,
                                0));
        int type = worker.files.look(handle) < 0 ? 0 : worker.files.mode() & S_IFMT;
        if (slot.mustBeFolder() && type == S_IFLNK) {
            throw new Failed(Errno.ENOTDIR);
        }
        return type;
    }

    private boolean exists(Walker.Slot slot) {
        int handle =
                worker.files.open(
                        slot.folder(), slot.name(), FileCalls.O_PATH | FileCalls.O_NOFOLLOW, 0);
        worker.files.close(handle);
        return handle >= 0;
    }

    private void requireWrite(Notification call, Walker.Slot slot) {
        judge.require(worker, new Action.WriteFile(slot.path()));
        worker.requireWaiting(call);
    }

    private void requireNoFolder(Walker.Slot slot) {
        if (!judge.mayBeNoFolder(slot.path())) {
            throw new Failed(Errno.EACCES);
        }
    }

    private void takeUmask(Notification call) {
        Credentials.umask(worker.kernel, Tasks.umask(worker, call.task()));
    }
}
