// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.AT_FDCWD;
import static dev.writ.kernel.FileCalls.AT_REMOVEDIR;
import static dev.writ.kernel.FileCalls.AT_SYMLINK_FOLLOW;
import static dev.writ.kernel.FileCalls.S_IFBLK;
import static dev.writ.kernel.FileCalls.S_IFCHR;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.kernel.Credentials;
import dev.writ.kernel.Errno;
import dev.writ.kernel.Limits;
import dev.writ.kernel.Notifications.Notification;

/// The calls that give, change and take names: mkdir(2), mknod(2), unlink(2), rename(2), link(2),
/// symlink(2). The folder is held by a handle and the name is judged in it; none of these calls
/// follows a link at the end.
final class Names {
    private static final int PERMISSIONS = 01777;
    private static final int PUNCH_HOLE = 2;
    private static final int COLLAPSE_RANGE = 8;

    private final Worker worker;
    private final Walker walker;
    private final Judge judge;
    private final Usage usage;
    private final Entries entries;

    Names(Worker worker, Walker walker, Judge judge, Usage usage) {
        this.worker = worker;
        this.walker = walker;
        this.judge = judge;
        this.usage = usage;
        this.entries = new Entries(worker, judge, usage);
    }

    void mkdir(Notification call) {
        mkdir(call, AT_FDCWD, 0, (int) call.argument(1));
    }

    void mkdirat(Notification call) {
        mkdir(call, folder(call, 0), 1, (int) call.argument(2));
    }

    private void mkdir(Notification call, int folder, int path, int mode) {
        var slot = slot(call, folder, path, Errno.EEXIST);
        worker.answer(call, entries.makeFolder(caller(call), slot, mode & PERMISSIONS));
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
        var slot = slot(call, folder, path, Errno.EEXIST);
        slot.requireReachable();
        entries.requireNoFolder(slot);
        entries.requireWrite(caller(call), slot);
        Credentials.umask(worker.kernel, caller(call).umask());
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
        worker.answer(call, entries.remove(caller(call), slot, flags));
    }

    void symlink(Notification call) {
        symlink(call, AT_FDCWD, 1);
    }

    void symlinkat(Notification call) {
        symlink(call, folder(call, 1), 2);
    }

    private void symlink(Notification call, int folder, int path) {
        byte[] target = worker.text(call.task(), call.argument(0));
        var slot = slot(call, folder, path, Errno.EEXIST);
        worker.answer(call, entries.symlink(caller(call), slot, target));
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
        var slot = slot(call, newFolder, newPath, Errno.EEXIST);
        slot.requireReachable();
        if (slot.mustBeFolder()) {
            throw new Failed(Errno.ENOENT);
        }
        // A second name must not be a way around the rules for the first one.
        if (!judge.permits(worker, found, false, true)
                || (isNamed(found)
                        && !judge.keepsItsRights(judge.path(name(found)), slot.path()))) {
            throw new Failed(Errno.EXDEV);
        }
        entries.requireNoFolder(slot); // folders cannot be linked
        entries.requireWrite(caller(call), slot);
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
        var from = slot(call, folder, path, Errno.EBUSY);
        var to = slot(call, newFolder, newPath, Errno.EBUSY);
        worker.answer(call, entries.rename(caller(call), from, to, flags));
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

    private Caller caller(Notification call) {
        return new Caller.Program(worker, call);
    }
}
