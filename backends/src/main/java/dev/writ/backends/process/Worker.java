// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.broker.Asker;
import dev.writ.core.file.FileException;
import dev.writ.kernel.CpuClock;
import dev.writ.kernel.Credentials;
import dev.writ.kernel.Detour;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileAttributes;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Notifications;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.ProcessMemory;
import dev.writ.kernel.Processors;
import dev.writ.kernel.Ptrace;
import dev.writ.kernel.Sockets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What a thread needs to act for confined processes. It belongs to the thread that made it, which
/// keeps no right that the processes do not have: no Linux capability, and a working directory and
/// a umask of its own.
final class Worker implements AutoCloseable {
    private static final int STRICT_UMASK = 077;
    private static final byte[] ROOT = {'/'};

    final Kernel kernel = new Kernel();
    final FileCalls files = new FileCalls(kernel);
    final FileAttributes attributes = new FileAttributes(kernel, files);
    final ProcessMemory memory = new ProcessMemory(kernel);
    final Sockets sockets = new Sockets(kernel);
    final Ptrace ptrace = new Ptrace(kernel);
    final Detour detour = new Detour(kernel);
    final CpuClock clock = new CpuClock(kernel);
    final Processors processors = new Processors(kernel);
    final Notifications notifications = new Notifications(kernel);
    final Handover handover = new Handover(this);

    /// Whether this thread may wait.
    final boolean patient;

    /// For whom it waits.
    Asker asker = Asker.UNKNOWN;

    /// What was refused last, for who wants to say why.
    FileException.@Nullable Refusal refusal;

    private int[] kept = new int[16];
    private int count;

    Worker(boolean patient) {
        this.patient = patient;
        Credentials.renounce(kernel);
        Credentials.ownFolder(kernel);
    }

    /// Keeps a descriptor until the call at hand is answered.
    ///
    /// @throws Failed if it is an error instead
    int keep(int descriptor) {
        if (descriptor < 0) {
            throw new Failed(-descriptor);
        }
        if (count == kept.length) {
            kept = Arrays.copyOf(kept, 2 * count);
        }
        kept[count++] = descriptor;
        return descriptor;
    }

    /// Closes one that is kept, before all others.
    void release(int descriptor) {
        for (int i = 0; i < count; i++) {
            if (kept[i] == descriptor) {
                kept[i] = kept[--count];
                files.close(descriptor);
                return;
            }
        }
    }

    /// How many descriptors are kept.
    int kept() {
        return count;
    }

    /// Closes all that are kept beyond the first `many`, except one.
    void closeKeptBeyond(int many, int except) {
        boolean found = false;
        while (count > many) {
            int descriptor = kept[--count];
            if (descriptor == except) {
                found = true;
            } else {
                files.close(descriptor);
            }
        }
        if (found) {
            kept[count++] = except;
        }
    }

    void closeKept() {
        closeKeptBeyond(0, -1);
    }

    /// Keeps nothing of the sandbox that it has acted for.
    void forget() {
        closeKept();
        refusal = null;
        Credentials.umask(kernel, STRICT_UMASK);
        files.enter(ROOT);
    }

    /// Ends `call` with a result, or with an error number if it is negative.
    void answer(Notification call, long result) {
        notifications.answer(call.id(), result);
    }

    /// What was read about a task by its number counts only if it still waits: numbers are used
    /// again.
    void requireWaiting(Notification call) {
        if (!notifications.isWaiting(call.id())) {
            throw new Failed(Errno.EINTR);
        }
    }

    /// The same, where something is waited for that may never come: signals end that, as
    /// they do in the kernel. Not before it was tried once, or who gets signals all the time never
    /// gets on.
    void requireUndisturbed(Notification call) {
        requireWaiting(call);
        int error = Tasks.disturbance(files, call.task());
        if (error != 0) {
            throw new Failed(error);
        }
    }

    /// A text in the memory of `task`.
    byte[] text(int task, long address) {
        byte[] text = memory.text(task, address);
        if (text == null) {
            throw new Failed(Errno.EFAULT);
        }
        return text;
    }

    /// `length` bytes in the memory of `task`, copied once.
    byte[] bytes(int task, long address, int length) {
        byte[] bytes = memory.bytes(task, address, length);
        if (bytes == null) {
            throw new Failed(Errno.EFAULT);
        }
        return bytes;
    }

    /// Puts `bytes` into the memory of `task`.
    void put(int task, long address, byte[] bytes) {
        if (!memory.put(task, address, bytes)) {
            throw new Failed(Errno.EFAULT);
        }
    }

    @Override
    public void close() {
        closeKept();
        kernel.close();
    }
}
