// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A thread that confines itself, starts one program, and ends.
///
/// To give up rights and to install the filter is the same for every program, and takes longer than
/// the rest. Who has started one before is likely to start another, so that one thread is kept that
/// has it behind itself.
final class Starter {
    private static final int SECCOMP_SET_MODE_FILTER = 1;
    private static final int NEW_LISTENER = 8;
    private static final int WAIT_KILLABLE_RECV = 32;
    private static final long KEPT = TimeUnit.SECONDS.toNanos(10);
    private static final long GLANCE = TimeUnit.MILLISECONDS.toNanos(1);

    private static final AtomicReference<@Nullable Starter> SPARE = new AtomicReference<>();
    private static volatile boolean used;

    static {
        // ORDER: what the confined thread ends with has been done before, and is loaded.
        LockSupport.unpark(Thread.currentThread());
    }

    private final byte[] filter;
    private final Thread thread =
            Thread.ofPlatform()
                    .daemon()
                    .name("writ-confined")
                    .inheritInheritableThreadLocals(false)
                    .unstarted(this::run);
    private volatile @Nullable Spawn spawn;
    private volatile boolean dismissed;
    private String step = "";
    private long result;

    private Starter(byte[] filter) {
        this.filter = filter;
    }

    /// One whose filter is `filter`, for one program.
    static Starter take(byte[] filter) {
        var spare = SPARE.getAndSet(null);
        if (spare != null && Arrays.equals(spare.filter, filter)) {
            return spare;
        }
        if (spare != null) {
            spare.dismiss();
        }
        var starter = new Starter(filter);
        starter.thread.start();
        return starter;
    }

    /// Has one ready for the next program, unless this was the first.
    static void keep(byte[] filter) {
        if (!used) {
            used = true;
            return;
        }
        if (SPARE.get() == null) {
            var next = new Starter(filter);
            next.thread.start();
            // ORDER: whoever takes it finds it running.
            if (!SPARE.compareAndSet(null, next)) {
                next.dismiss();
            }
        }
    }

    /// Gives it its program.
    void give(Spawn program) {
        spawn = program;
        LockSupport.unpark(thread);
    }

    private void dismiss() {
        dismissed = true;
        LockSupport.unpark(thread);
    }

    boolean hasEnded() {
        return thread.getState() == Thread.State.TERMINATED;
    }

    // ORDER: everything that it needs is loaded before; from the filter on, this thread loads no
    // class and opens no file.
    private void run() {
        try (var kernel = new Kernel()) {
            confine(kernel);
            var program = await();
            if (program != null) {
                program.run(kernel, step, result);
            } else if (result >= 0) {
                kernel.call(Call.CLOSE.number(), result);
            }
        }
    }

    private void confine(Kernel kernel) {
        var code = code(kernel);
        try {
            step = "prctl(PR_SET_NO_NEW_PRIVS)";
            result = Credentials.noNewPrivileges(kernel);
            if (result >= 0) {
                step = "capset";
                Credentials.renounce(kernel);
                step = "seccomp(SECCOMP_SET_MODE_FILTER, NEW_LISTENER)";
                result = install(kernel, code, NEW_LISTENER | WAIT_KILLABLE_RECV);
            }
            if (result == -Errno.EINVAL) {
                result = install(kernel, code, NEW_LISTENER);
            }
        } catch (KernelException e) {
            result = -e.errno();
        }
    }

    private MemorySegment code(Kernel kernel) {
        // struct sock_fprog { unsigned short len; struct sock_filter *filter; }
        var code = kernel.memory(filter.length);
        MemorySegment.copy(filter, 0, code, JAVA_BYTE, 0, filter.length);
        var whole = kernel.memory(16);
        whole.set(JAVA_SHORT, 0, (short) (filter.length / 8));
        whole.set(JAVA_LONG, 8, code.address());
        return whole;
    }

    private static long install(Kernel kernel, MemorySegment code, int flags) {
        return kernel.call(Call.SECCOMP.number(), SECCOMP_SET_MODE_FILTER, flags, code.address());
    }

    /// The program to start; null if there is none, because nobody wants one of this kind.
    private @Nullable Spawn await() {
        long end = System.nanoTime() + KEPT;
        while (spawn == null && !dismissed) {
            long left = end - System.nanoTime();
            // Whoever has taken it from there is about to give it a program.
            if (left <= 0 && SPARE.compareAndSet(this, null)) {
                return null;
            }
            LockSupport.parkNanos(this, Math.max(left, GLANCE));
        }
        return spawn;
    }
}
