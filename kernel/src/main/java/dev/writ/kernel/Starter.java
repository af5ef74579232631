// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/// A thread that confines itself, starts one program, and ends.
///
/// To keep one ready for the next program was tried: it has to be made all the same, at a time when
/// the program needs the processors, and starts one after the other took longer.
final class Starter {
    private static final int SECCOMP_SET_MODE_FILTER = 1;
    private static final int NEW_LISTENER = 8;
    private static final int WAIT_KILLABLE_RECV = 32;

    static {
        // ORDER: what the confined thread ends with has been done before, and is loaded.
        LockSupport.unpark(Thread.currentThread());
    }

    private final byte[] filter;
    private final Spawn spawn;
    private final Thread thread =
            Thread.ofPlatform()
                    .name("writ-confined")
                    .inheritInheritableThreadLocals(false)
                    .unstarted(this::run);
    private String step = "";
    private long result;

    private Starter(byte[] filter, Spawn spawn) {
        this.filter = filter;
        this.spawn = spawn;
    }

    /// Begins to start a program under `filter`.
    static Starter start(byte[] filter, Spawn spawn) {
        var starter = new Starter(filter, spawn);
        starter.thread.start();
        return starter;
    }

    boolean hasEnded() {
        return thread.getState() == Thread.State.TERMINATED;
    }

    // ORDER: everything that it needs is loaded before; from the filter on, this thread loads no
    // class and opens no file.
    private void run() {
        try (var kernel = new Kernel()) {
            confine(kernel);
            spawn.run(kernel, step, result);
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

    /// Whether a sandbox of this kind is around this process, and says so.
    static boolean isHeld(Kernel kernel) {
        return kernel.call(Call.SECCOMP.number(), SECCOMP_SET_MODE_FILTER, NEW_LISTENER, 0)
                == -Errno.EBUSY;
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
}
