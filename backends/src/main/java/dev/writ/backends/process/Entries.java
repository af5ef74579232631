// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFLNK;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.core.capability.Action;
import dev.writ.kernel.Credentials;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;

/// Gives, changes and takes names in folders that are held, whoever asks for it. A failure comes
/// back as the negated error number, or as [Failed].
final class Entries {
    private static final int RENAME_NOREPLACE = 1;
    private static final int RENAME_EXCHANGE = 2;

    /// Between the last look at what moves and the move nobody else may move it, whichever thread
    /// acts for them.
    static final Object MOVING = new Object();

    private final Worker worker;
    private final Judge judge;
    private final Usage usage;

    Entries(Worker worker, Judge judge, Usage usage) {
        this.worker = worker;
        this.judge = judge;
        this.usage = usage;
    }

    long makeFolder(Caller caller, Walker.Slot slot, int mode) {
        slot.requireReachable();
        if (exists(slot)) {
            throw new Failed(Errno.EEXIST);
        }
        requireWrite(caller, slot);
        Credentials.umask(worker.kernel, caller.umask());
        return made(worker.files.makeFolder(slot.folder(), slot.name(), mode));
    }

    long symlink(Caller caller, Walker.Slot slot, byte[] target) {
        slot.requireReachable();
        if (slot.mustBeFolder()) {
            throw new Failed(Errno.ENOENT);
        }
        requireNoFolder(slot);
        requireWrite(caller, slot);
        return made(worker.files.symlink(target, slot.folder(), slot.name()));
    }

    long remove(Caller caller, Walker.Slot slot, int flags) {
        int type = type(slot);
        if (slot.mustBeFolder() && type != S_IFDIR) {
            throw new Failed(Errno.ENOTDIR);
        }
        requireWrite(caller, slot);
        return worker.files.remove(slot.folder(), slot.name(), flags);
    }

    long rename(Caller caller, Walker.Slot from, Walker.Slot to, int flags) {
        if ((flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE)) != 0) {
            throw new Failed(Errno.EINVAL);
        }
        to.requireReachable();
        judge.require(worker, new Action.WriteFile(from.path()));
        requireWrite(caller, to);
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
            return worker.files.rename(from.folder(), from.name(), to.folder(), to.name(), flags);
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

    /// What has the name now.
    ///
    /// @throws Failed if nothing has it
    int type(Walker.Slot slot) {
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

    void requireWrite(Caller caller, Walker.Slot slot) {
        judge.require(worker, new Action.WriteFile(slot.path()));
        caller.requireWaiting();
    }

    void requireNoFolder(Walker.Slot slot) {
        judge.requireNoFolder(worker, slot.path());
    }

    private long made(long result) {
        if (result >= 0) {
            usage.takeRoom(Usage.NEW_FILE);
        }
        return result;
    }
}
