// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

/// capabilities(7) and groups of the calling thread. In the kernel they belong to a thread,
/// whatever the C library makes of that.
public final class Credentials {
    private static final int PR_CAPBSET_DROP = 24;
    private static final int PR_SET_NO_NEW_PRIVS = 38;
    private static final int PR_CAP_AMBIENT = 47;
    private static final int PR_CAP_AMBIENT_CLEAR_ALL = 4;
    private static final int LINUX_CAPABILITY_VERSION_3 = 0x20080522;
    private static final int CLONE_FS = 0x200;

    private Credentials() {}

    /// From now on no program that this thread starts gains anything by setuid bits.
    static long noNewPrivileges(Kernel kernel) {
        return kernel.call(Call.PRCTL.number(), PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    }

    /// Gives up what root has beyond being the owner of files, and supplementary groups; what an
    /// ordinary user cannot give up stays as it is. After this even a program of root's, started
    /// from here, gets no Linux capability back.
    public static void renounce(Kernel kernel) {
        kernel.call(Call.SETGROUPS.number(), 0, 0);
        // The first failure is that there are no more, or that this thread may drop none.
        for (int capability = 0;
                kernel.call(Call.PRCTL.number(), PR_CAPBSET_DROP, capability, 0, 0, 0) >= 0;
                capability++) {}
        kernel.call(Call.PRCTL.number(), PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        // struct { u32 version; int pid; } and twice { u32 effective, permitted, inheritable; }
        var header = kernel.memory(8);
        header.set(JAVA_INT, 0, LINUX_CAPABILITY_VERSION_3);
        Kernel.check(
                "capset",
                kernel.call(Call.CAPSET.number(), header.address(), kernel.memory(24).address()));
    }

    /// Gives the calling thread a working directory and a umask of its own.
    public static void ownFolder(Kernel kernel) {
        Kernel.check("unshare(CLONE_FS)", kernel.call(Call.UNSHARE.number(), CLONE_FS));
    }

    /// Sets the umask of the calling thread, which must have its own.
    public static void umask(Kernel kernel, int mask) {
        kernel.call(Call.UMASK.number(), mask);
    }

    public static int userId(Kernel kernel) {
        return (int) kernel.call(Call.GETUID.number(), 0);
    }
}
