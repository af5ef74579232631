// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

/// A segment of shared memory in the manner of System V: known by a number, to everybody on the
/// machine.
///
/// It is marked for removal from the beginning and lives as long as somebody has it attached, this
/// process among them. So none is left behind, however this process ends.
public final class SharedSegment {
    private static final int IPC_PRIVATE = 0;
    private static final int IPC_RMID = 0;
    private static final int SHM_RDONLY = 010000;

    private final int number;
    private final long size;
    private final long address;

    private SharedSegment(int number, long size, long address) {
        this.number = number;
        this.size = size;
        this.address = address;
    }

    /// Makes one that no key leads to.
    ///
    /// @throws KernelException if the kernel does not give one
    public static SharedSegment make(Kernel kernel, long size, int flags) {
        int number =
                (int)
                        Kernel.check(
                                "no shared memory",
                                kernel.call(Call.SHMGET.number(), IPC_PRIVATE, size, flags));
        long address = kernel.call(Call.SHMAT.number(), number, 0, SHM_RDONLY);
        kernel.call(Call.SHMCTL.number(), number, IPC_RMID, 0);
        Kernel.check("shared memory cannot be attached", address);
        return new SharedSegment(number, size, address);
    }

    public int number() {
        return number;
    }

    public long size() {
        return size;
    }

    /// Lets go of it. It is gone when nobody else has it.
    public void release(Kernel kernel) {
        kernel.call(Call.SHMDT.number(), address);
    }
}
