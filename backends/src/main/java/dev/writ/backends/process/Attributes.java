// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.AT_EMPTY_PATH;
import static dev.writ.kernel.FileCalls.AT_FDCWD;
import static dev.writ.kernel.FileCalls.AT_SYMLINK_NOFOLLOW;
import static dev.writ.kernel.FileCalls.S_IFBLK;
import static dev.writ.kernel.FileCalls.S_IFCHR;
import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Pidfd;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The calls that change what a file is like, not what is in it: mode, owner, times, flags.
/// Landlock leaves all of them open. To change them is to write.
final class Attributes {
    private static final int S_ISUID = 04000;
    private static final int S_ISGID = 02000;
    private static final int ALL_MODES = 07777;
    private static final int SETFLAGS = 0x6602; // FS_IOC_SETFLAGS, with whatever size
    private static final int IN_DONT_FOLLOW = 0x02000000;

    private final Worker worker;
    private final Walker walker;
    private final Judge judge;

    Attributes(Worker worker, Walker walker, Judge judge) {
        this.worker = worker;
        this.walker = walker;
        this.judge = judge;
    }

    void chmod(Notification call) {
        chmod(call, named(call, AT_FDCWD, 0, true), (int) call.argument(1));
    }

    void fchmod(Notification call) {
        chmod(call, held(call), (int) call.argument(1));
    }

    void fchmodat(Notification call) {
        chmod(call, named(call, (int) call.argument(0), 1, true), (int) call.argument(2));
    }

    void fchmodat2(Notification call) {
        chmod(call, at(call, (int) call.argument(3)), (int) call.argument(2));
    }

    private void chmod(Notification call, Walker.Found found, int mode) {
        requireWrite(call, found);
        boolean folder = (worker.files.mode() & S_IFMT) == S_IFDIR;
        // A program that runs as its owner outlives the sandbox.
        if ((mode & S_ISUID) != 0 || ((mode & S_ISGID) != 0 && !folder)) {
            throw new Failed(Errno.EPERM);
        }
        worker.answer(call, worker.files.changeMode(found.handle(), mode & ALL_MODES));
    }

    void chown(Notification call) {
        chown(call, named(call, AT_FDCWD, 0, true), 1);
    }

    void lchown(Notification call) {
        chown(call, named(call, AT_FDCWD, 0, false), 1);
    }

    void fchown(Notification call) {
        chown(call, held(call), 1);
    }

    void fchownat(Notification call) {
        chown(call, at(call, (int) call.argument(4)), 2);
    }

    private void chown(Notification call, Walker.Found found, int user) {
        requireWrite(call, found);
        worker.answer(
                call,
                worker.files.changeOwner(
                        found.handle(), (int) call.argument(user), (int) call.argument(user + 1)));
    }

    void utime(Notification call) {
        times(call, named(call, AT_FDCWD, 0, true), call.argument(1), 2, 0);
    }

    void utimes(Notification call) {
        times(call, named(call, AT_FDCWD, 0, true), call.argument(1), 4, 1000);
    }

    void futimesat(Notification call) {
        times(call, at(call, 0), call.argument(2), 4, 1000);
    }

    void utimensat(Notification call) {
        times(call, at(call, (int) call.argument(3)), call.argument(2), 4, 1);
    }

    /// Sets the times that lie at `address`.
    ///
    /// @param count 2 if there are seconds only
    /// @param unit how many nanoseconds the fractions count
    private void times(Notification call, Walker.Found found, long address, int count, int unit) {
        long[] times = {};
        if (address != 0) {
            long[] given = worker.memory.longs(call.task(), address, count);
            if (given == null) {
                throw new Failed(Errno.EFAULT);
            }
            times =
                    count == 2
                            ? new long[] {given[0], 0, given[1], 0}
                            : new long[] {given[0], given[1] * unit, given[2], given[3] * unit};
        }
        requireWrite(call, found);
        worker.answer(call, worker.files.changeTimes(found.handle(), times));
    }

    /// ioctl(2) with one of the requests that set flags of a file, which needs no right to write.
    void setFlags(Notification call) {
        int request = (int) call.argument(1);
        byte[] value = worker.memory.bytes(call.task(), call.argument(2), request >>> 16 & 0x3fff);
        if (value == null) {
            throw new Failed(Errno.EFAULT);
        }
        if ((request & 0xffff) == SETFLAGS && (first(value) & FileCalls.FS_CASEFOLD_FL) != 0) {
            // In such a folder `.GIT` is `.git`, and no rule knows it: see Letters.
            throw new Failed(Errno.EPERM);
        }
        // INVARIANT: what is judged is the copy, which no other thread can exchange.
        int number = (int) call.argument(0);
        int copy = worker.keep(Pidfd.descriptor(worker.kernel, call.task(), number));
        requireWrite(call, new Walker.Found(copy, worker.files.place(copy), call.task(), number));
        worker.answer(call, worker.files.control(copy, request, value));
    }

    private static int first(byte[] value) {
        return ByteBuffer.wrap(value).order(ByteOrder.nativeOrder()).getInt();
    }

    /// inotify_add_watch(2): who watches a folder learns the names in it, so that is to read.
    void watch(Notification call) {
        int mask = (int) call.argument(2);
        var found = named(call, AT_FDCWD, 1, (mask & IN_DONT_FOLLOW) == 0);
        if (!judge.permits(worker, found, true, false)) {
            throw new Failed(Errno.EACCES);
        }
        int copy =
                worker.keep(Pidfd.descriptor(worker.kernel, call.task(), (int) call.argument(0)));
        worker.requireWaiting(call);
        worker.answer(call, worker.files.watch(copy, found.handle(), mask & ~IN_DONT_FOLLOW));
    }

    Walker.Found named(Notification call, int folder, int path, boolean follow) {
        byte[] text = worker.text(call.task(), call.argument(path));
        return walker.find(call.task(), folder, text, follow);
    }

    Walker.Found held(Notification call) {
        return walker.held(call.task(), (int) call.argument(0));
    }

    /// The object of the calls that take a folder, a path and flags; without a path it is the
    /// folder itself.
    private Walker.Found at(Notification call, int flags) {
        if (call.argument(1) == 0) {
            return held(call);
        }
        int folder = (int) call.argument(0);
        byte[] text = worker.text(call.task(), call.argument(1));
        if (text.length == 0 && (flags & AT_EMPTY_PATH) != 0 && folder != AT_FDCWD) {
            return held(call);
        }
        return walker.find(call.task(), folder, text, (flags & AT_SYMLINK_NOFOLLOW) == 0);
    }

    void requireWrite(Notification call, Walker.Found found) {
        if (!judge.permits(worker, found, false, true)) {
            throw new Failed(Errno.EACCES);
        }
        worker.requireWaiting(call);
        int type = worker.files.look(found.handle()) < 0 ? 0 : worker.files.mode() & S_IFMT;
        if (type == 0 || type == S_IFCHR || type == S_IFBLK) {
            throw new Failed(Errno.EPERM); // the right to use a device is no right to change it
        }
    }
}
