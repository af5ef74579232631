// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.O_ACCMODE;
import static dev.writ.kernel.FileCalls.O_CLOEXEC;
import static dev.writ.kernel.FileCalls.O_CREAT;
import static dev.writ.kernel.FileCalls.O_DIRECTORY;
import static dev.writ.kernel.FileCalls.O_EXCL;
import static dev.writ.kernel.FileCalls.O_NOCTTY;
import static dev.writ.kernel.FileCalls.O_NOFOLLOW;
import static dev.writ.kernel.FileCalls.O_NONBLOCK;
import static dev.writ.kernel.FileCalls.O_PATH;
import static dev.writ.kernel.FileCalls.O_TMPFILE_BIT;
import static dev.writ.kernel.FileCalls.O_TRUNC;
import static dev.writ.kernel.FileCalls.O_WRONLY;
import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFIFO;
import static dev.writ.kernel.FileCalls.S_IFLNK;
import static dev.writ.kernel.FileCalls.S_IFMT;
import static dev.writ.kernel.FileCalls.S_IFREG;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.kernel.Credentials;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Pidfd;
import dev.writ.kernel.SealedFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/// open(2) and its family, done for a confined process: the object is found, judged, opened, and
/// handed over.
final class Opens {
    private static final int PERMISSIONS = 01777;
    private static final int HOW = 24;
    private static final int MOST_HOW = 4096; // a page, as the kernel has it
    private static final int MOST_TRIES = 40; // as many as the kernel follows links
    private static final long TERMINAL_OF_CALLER = 5L << 32; // /dev/tty
    private static final long NEW_TERMINAL = 5L << 32 | 2; // /dev/ptmx

    private final Worker worker;
    private final Walker walker;
    private final Judge judge;
    private final Tree tree;
    private final Usage usage;
    private final NamedPipes pipes;
    private final Optional<Substitutes> substitutes;

    Opens(
            Worker worker,
            Walker walker,
            Judge judge,
            Tree tree,
            Usage usage,
            Optional<WayOut> wayOut) {
        this.worker = worker;
        this.walker = walker;
        this.judge = judge;
        this.tree = tree;
        this.usage = usage;
        this.substitutes = wayOut.map(out -> out.substitutes);
        this.pipes = new NamedPipes(worker);
    }

    /// What is wanted.
    private record Wish(Notification call, int folder, byte[] path, int flags, int mode) {
        boolean has(int flag) {
            return (flags & flag) == flag;
        }

        boolean reads() {
            return (flags & O_ACCMODE) != O_WRONLY;
        }

        boolean writes() {
            return (flags & O_ACCMODE) != 0 || has(O_TRUNC);
        }

        Wish at(int otherFolder, byte[] otherPath) {
            return new Wish(call, otherFolder, otherPath, flags, mode);
        }
    }

    void open(Notification call) {
        open(call, FileCalls.AT_FDCWD, 0, (int) call.argument(1), (int) call.argument(2));
    }

    void creat(Notification call) {
        open(call, FileCalls.AT_FDCWD, 0, O_CREAT | O_WRONLY | O_TRUNC, (int) call.argument(1));
    }

    void openat(Notification call) {
        open(call, (int) call.argument(0), 1, (int) call.argument(2), (int) call.argument(3));
    }

    /// What the kernel would not take it does not get here either: programs find out in that way
    /// what there is.
    void openat2(Notification call) {
        // struct open_how { u64 flags, mode, resolve; }, and what later kernels may add
        long size = call.argument(3);
        if (size < HOW || size > MOST_HOW) {
            throw new Failed(size < HOW ? Errno.EINVAL : Errno.E2BIG);
        }
        byte[] bytes = worker.memory.bytes(call.task(), call.argument(2), (int) size);
        if (bytes == null) {
            throw new Failed(Errno.EFAULT);
        }
        for (int i = HOW; i < size; i++) {
            if (bytes[i] != 0) {
                throw new Failed(Errno.E2BIG);
            }
        }
        var how = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asLongBuffer();
        int error = worker.files.checkHow(how.get(0), how.get(1), how.get(2));
        if (error < 0) {
            throw new Failed(-error);
        }
        if (how.get(2) != 0 || (how.get(0) & O_PATH) != 0) {
            // Nobody who asks for this can do without it, and everybody has a way without. And what
            // opens nothing cannot be handed over; openat asks nobody for it.
            throw new Failed(Errno.ENOSYS);
        }
        open(call, (int) call.argument(0), 1, (int) how.get(0), (int) how.get(1));
    }

    private void open(Notification call, int folder, int path, int flags, int mode) {
        if (tree.isBeginner(call.task())) {
            // Its terminal becomes its own only if it opens it itself.
            worker.notifications.letPass(call.id());
            return;
        }
        byte[] text = worker.text(call.task(), call.argument(path));
        open(new Wish(call, folder, text, flags, mode & PERMISSIONS), MOST_TRIES);
    }

    private void open(Wish wish, int tries) {
        if (wish.has(O_TMPFILE_BIT)) {
            openUnnamed(wish);
            return;
        }
        Walker.Found found;
        try {
            boolean follow = !wish.has(O_NOFOLLOW) && !wish.has(O_CREAT | O_EXCL);
            found = walker.find(wish.call().task(), wish.folder(), wish.path(), follow);
        } catch (Failed e) {
            if (e.errno() != Errno.ENOENT || !wish.has(O_CREAT)) {
                throw e;
            }
            create(wish, tries);
            return;
        }
        if (wish.has(O_CREAT | O_EXCL)) {
            throw new Failed(Errno.EEXIST);
        }
        openExisting(wish, found);
    }

    private void openExisting(Wish wish, Walker.Found found) {
        var files = worker.files;
        if (files.look(found.handle()) < 0) {
            giveOwn(wish, found);
            return;
        }
        int type = files.mode() & S_IFMT;
        boolean mayBlock = type == S_IFIFO && !wish.has(O_NONBLOCK);
        boolean makesTerminal = files.deviceItself() == NEW_TERMINAL;
        if ((mayBlock || makesTerminal) && !worker.patient) {
            throw new NotNow(); // before it is judged: that is written down, and once
        }
        if (!judge.permitsSeen(worker, found, wish.reads(), wish.writes())) {
            giveOwn(wish, found);
            return;
        }
        if (type == S_IFLNK) {
            throw new Failed(Errno.ELOOP);
        }
        if (wish.writes() && type == S_IFREG && Places.isNamed(found.place(), files.links())) {
            judge.requireNoFolder(worker, judge.path(found.place()));
        }
        if (wish.has(O_CREAT) && type == S_IFDIR) {
            throw new Failed(Errno.EISDIR);
        }
        if (files.deviceItself() == TERMINAL_OF_CALLER) {
            openTerminal(wish);
            return;
        }
        if (type == S_IFREG && !wish.writes() && giveSubstitute(wish, found)) {
            return;
        }
        if (wish.has(O_TRUNC)) {
            worker.requireWaiting(wish.call()); // empties the file, whoever hears of it
        }
        int flags = wish.flags() | O_NOCTTY;
        int opened =
                mayBlock
                        ? pipes.open(wish.call(), found.handle(), flags)
                        : worker.keep(files.reopen(found.handle(), flags));
        if (makesTerminal) {
            tree.terminals.addMade(worker, opened);
        }
        if (type == S_IFREG && wish.reads()) {
            judge.opened(found.place());
        }
        give(wish, opened);
    }

    /// Hands over what is to be found instead of a file; whether there is something.
    private boolean giveSubstitute(Wish wish, Walker.Found found) {
        if (Cards.isTable(found.place())) {
            int table = worker.keep(SealedFile.make(worker.kernel, Cards.table()));
            give(wish, worker.keep(worker.files.reopen(table, wish.flags())));
            return true;
        }
        if (substitutes.isEmpty() || !Places.isNamed(found.place(), worker.files.links())) {
            return false;
        }
        var file = judge.path(found.place());
        var instead = substitutes.get().open(worker, file, found.handle(), wish.flags());
        instead.ifPresent(descriptor -> give(wish, descriptor));
        return instead.isPresent();
    }

    /// What `/dev/tty` is for us is not what it is for them: they are in a session of their own.
    private void openTerminal(Wish wish) {
        if (tree.terminal.isEmpty()) {
            throw new Failed(Errno.ENXIO);
        }
        give(
                wish,
                worker.keep(
                        worker.files.open(
                                FileCalls.AT_FDCWD,
                                Walker.bytes(tree.terminal),
                                wish.flags() | O_NOCTTY,
                                0)));
    }

    /// A refused open through `/proc/self/fd/N` may still have what the descriptor has: a copy of
    /// it gives nothing new.
    private void giveOwn(Wish wish, Walker.Found found) {
        if (found.holder() == 0 || found.held() == Walker.NO_DESCRIPTOR) {
            // Who looks through all processes expects that some have ended, and nothing else.
            boolean ended = !wish.writes() && Places.isShownOfStranger(judge.path(found.place()));
            throw new Failed(ended ? Errno.ESRCH : Errno.EACCES);
        }
        int copy = worker.keep(Pidfd.descriptor(worker.kernel, found.holder(), found.held()));
        int access = worker.files.flags(copy);
        // Since it was found the operator may have been asked, and both numbers may belong to
        // somebody else, or to something else.
        boolean suffices =
                access >= 0
                        && (access & O_PATH) == 0
                        && isSame(copy, found.handle())
                        && judge.members().test(found.holder())
                        && (!wish.reads() || (access & O_ACCMODE) != O_WRONLY)
                        && (!wish.writes() || (access & O_ACCMODE) != 0);
        if (!suffices) {
            throw new Failed(Errno.EACCES);
        }
        give(wish, copy);
    }

    private boolean isSame(int one, int other) {
        var files = worker.files;
        if (files.look(one) < 0) {
            return false;
        }
        long device = files.device();
        long inode = files.inode();
        return files.look(other) == 0 && files.device() == device && files.inode() == inode;
    }

    private void create(Wish wish, int tries) {
        var slot = walker.slot(wish.call().task(), wish.folder(), wish.path(), Errno.EISDIR);
        if (slot.mustBeFolder()) {
            throw new Failed(Errno.EISDIR);
        }
        byte[] target = worker.files.readLink(slot.folder(), slot.name());
        if (target.length == 0) {
            createHere(wish, slot, tries);
        } else if (wish.has(O_EXCL)) {
            throw new Failed(Errno.EEXIST);
        } else if (wish.has(O_NOFOLLOW) || tries == 0) {
            throw new Failed(Errno.ELOOP);
        } else {
            // A link that leads nowhere: what it names is made, there.
            byte[] place = worker.files.place(slot.folder());
            byte[] there = target[0] == '/' ? target : Walker.join(place, target);
            open(wish.at(FileCalls.AT_FDCWD, there), tries - 1);
        }
    }

    private void createHere(Wish wish, Walker.Slot slot, int tries) {
        slot.requireReachable();
        judge.require(worker, new Action.WriteFile(slot.path()));
        judge.requireNoFolder(worker, slot.path());
        if (wish.reads() && (wish.flags() & O_ACCMODE) != 0) {
            judge.require(worker, new Action.ReadFile(slot.path()));
        }
        worker.requireWaiting(wish.call());
        Credentials.umask(worker.kernel, Tasks.umask(worker, wish.call().task()));
        int flags = (wish.flags() | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY) & ~O_DIRECTORY;
        int made = worker.files.open(slot.folder(), slot.name(), flags, wish.mode());
        if (made == -Errno.EEXIST && !wish.has(O_EXCL) && tries > 0) {
            open(wish, tries - 1); // somebody was faster
            return;
        }
        worker.keep(made);
        usage.takeRoom(Usage.NEW_FILE);
        give(wish, made);
    }

    /// O_TMPFILE: a file without a name in a folder that may be written to.
    private void openUnnamed(Wish wish) {
        var folder = unnamedFolder(wish);
        if (!judge.permits(worker, folder, wish.reads(), true)) {
            throw new Failed(Errno.EACCES);
        }
        Credentials.umask(worker.kernel, Tasks.umask(worker, wish.call().task()));
        give(
                wish,
                worker.keep(
                        worker.files.open(
                                folder.handle(), Walker.bytes("."), wish.flags(), wish.mode())));
    }

    /// With O_EXCL it never gets a name, so nobody can tell where it lies.
    private Walker.Found unnamedFolder(Wish wish) {
        int task = wish.call().task();
        var folder = walker.find(task, wish.folder(), wish.path(), true);
        return Optional.of(folder)
                .filter(_ -> wish.has(O_EXCL))
                .flatMap(found -> judge.insteadOf(judge.path(found.place())))
                .map(
                        own ->
                                walker.find(
                                        task,
                                        FileCalls.AT_FDCWD,
                                        Walker.bytes(own.toString()),
                                        false))
                .orElse(folder);
    }

    private void give(Wish wish, int descriptor) {
        boolean alone = wish.writes() || wish.has(O_CREAT);
        int given = worker.handover.give(wish.call(), descriptor, wish.has(O_CLOEXEC), alone);
        if (given == -Errno.EMFILE) {
            usage.refuse(Resource.FILES);
        }
    }
}
