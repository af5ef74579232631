// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Errno;
import dev.writ.kernel.KernelException;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.SharedSegment;
import java.util.HashMap;
import java.util.Map;

/// System V shared memory that is the sandbox's own. Keys and numbers are shared by everybody on
/// the machine, so a key means something inside only, and only numbers that were given out here can
/// be attached. What is asked for stands in registers, which nobody can change meanwhile.
final class Segments {
    private static final int IPC_PRIVATE = 0;
    private static final int IPC_CREAT = 01000;
    private static final int IPC_EXCL = 02000;
    private static final int PERMISSIONS = 0777;
    private static final int IPC_RMID = 0;
    private static final int IPC_STAT = 2;
    private static final int MOST = 1024;

    private final long mostBytes;
    private final Map<Integer, SharedSegment> byNumber = new HashMap<>();
    private final Map<Integer, SharedSegment> byKey = new HashMap<>();

    /// @param mostBytes how large all of them may be together
    Segments(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /// shmget(2)
    synchronized void get(Worker worker, Notification call) {
        int key = (int) call.argument(0);
        long size = call.argument(1);
        int flags = (int) call.argument(2);
        var known = key == IPC_PRIVATE ? null : byKey.get(key);
        var segment = known == null ? make(worker, key, size, flags) : known;
        if (known != null && (flags & IPC_CREAT) != 0 && (flags & IPC_EXCL) != 0) {
            throw new Failed(Errno.EEXIST);
        }
        if (Long.compareUnsigned(size, segment.size()) > 0) {
            throw new Failed(Errno.EINVAL);
        }
        worker.answer(call, segment.number());
    }

    private SharedSegment make(Worker worker, int key, long size, int flags) {
        if (key != IPC_PRIVATE && (flags & IPC_CREAT) == 0) {
            throw new Failed(Errno.ENOENT);
        }
        long room = mostBytes - byNumber.values().stream().mapToLong(SharedSegment::size).sum();
        if (byNumber.size() == MOST || Long.compareUnsigned(size, room) > 0) {
            throw new Failed(Errno.ENOSPC);
        }
        SharedSegment made;
        try {
            made = SharedSegment.make(worker.kernel, size, flags & PERMISSIONS);
        } catch (KernelException e) {
            throw new Failed(e.errno());
        }
        byNumber.put(made.number(), made);
        if (key != IPC_PRIVATE) {
            byKey.put(key, made);
        }
        return made;
    }

    /// shmat(2)
    synchronized void attach(Worker worker, Notification call) {
        requireOwn(call);
        worker.notifications.letPass(call.id());
    }

    /// shmctl(2): to look at one, and to be done with it.
    synchronized void control(Worker worker, Notification call) {
        var segment = requireOwn(call);
        switch ((int) call.argument(1)) {
            case IPC_STAT -> worker.notifications.letPass(call.id());
            case IPC_RMID -> {
                segment.release(worker.kernel);
                byNumber.values().remove(segment);
                byKey.values().remove(segment);
                worker.answer(call, 0);
            }
            default -> throw new Failed(Errno.EPERM);
        }
    }

    private SharedSegment requireOwn(Notification call) {
        var segment = byNumber.get((int) call.argument(0));
        if (segment == null) {
            throw new Failed(Errno.EINVAL); // as if there were none
        }
        return segment;
    }

    /// Lets go of all of them.
    synchronized void release(Worker worker) {
        byNumber.values().forEach(s -> s.release(worker.kernel));
        byNumber.clear();
        byKey.clear();
    }
}
