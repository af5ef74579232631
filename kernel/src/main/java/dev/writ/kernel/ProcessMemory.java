// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// process_vm_readv(2) and process_vm_writev(2): a copy of what another process has in its memory,
/// and answers to it there.
public final class ProcessMemory {
    private static final int PATH_MAX = 4096;
    private static final int MOST = 65536; // the longest extended attribute
    private static final int PAGE = 4096; // the smallest there is: never reads across an end
    private static final int KCMP_VM = 1;

    private final Kernel kernel;
    private MemorySegment copy;
    private final MemorySegment vectors;

    public ProcessMemory(Kernel kernel) {
        this.kernel = kernel;
        this.copy = kernel.memory(PATH_MAX);
        this.vectors = kernel.memory(32);
    }

    /// The text at `address`, up to its end; null if it cannot be read or is longer than any path.
    public byte @Nullable [] text(int task, long address) {
        int length = 0;
        while (length < PATH_MAX) {
            int wanted = (int) Math.min(PATH_MAX - length, PAGE - (address + length & PAGE - 1));
            // Most texts are short: the first look takes only a little.
            wanted = length == 0 ? Math.min(wanted, 256) : wanted;
            if (read(task, address + length, length, wanted) != wanted) {
                return null;
            }
            for (int i = length; i < length + wanted; i++) {
                if (copy.get(JAVA_BYTE, i) == 0) {
                    return copy.asSlice(0, i).toArray(JAVA_BYTE);
                }
            }
            length += wanted;
        }
        return null;
    }

    /// `length` bytes at `address`; null if they cannot be read.
    public byte @Nullable [] bytes(int task, long address, int length) {
        if (length < 0 || length > MOST || read(task, address, 0, length) != length) {
            return null;
        }
        return copy.asSlice(0, length).toArray(JAVA_BYTE);
    }

    /// `count` longs at `address`; null if they cannot be read.
    public long @Nullable [] longs(int task, long address, int count) {
        if (read(task, address, 0, 8 * count) != 8L * count) {
            return null;
        }
        return copy.asSlice(0, 8L * count).toArray(JAVA_LONG);
    }

    /// Puts `bytes` to `address`. Whether all of them went there.
    public boolean put(int task, long address, byte[] bytes) {
        makeRoom(bytes.length);
        MemorySegment.copy(bytes, 0, copy, JAVA_BYTE, 0, bytes.length);
        return bytes.length == 0
                || transfer(Call.PROCESS_VM_WRITEV, task, address, 0, bytes.length) == bytes.length;
    }

    private long read(int task, long address, int at, int length) {
        if (length == 0) {
            return 0;
        }
        makeRoom(at + length);
        return transfer(Call.PROCESS_VM_READV, task, address, at, length);
    }

    private void makeRoom(int length) {
        if (length > copy.byteSize()) {
            copy = kernel.memory(MOST); // at most once, and only for what is no path
        }
    }

    private long transfer(Call call, int task, long address, int at, int length) {
        vectors.set(JAVA_LONG, 0, copy.address() + at);
        vectors.set(JAVA_LONG, 8, length);
        vectors.set(JAVA_LONG, 16, address);
        vectors.set(JAVA_LONG, 24, length);
        return kernel.call(call.number(), task, vectors.address(), 1, vectors.address() + 16, 1, 0);
    }

    /// Whether two processes have all their memory in common, as one has with the parent that waits
    /// for it in vfork(2).
    public boolean isCommon(int one, int other) {
        return kernel.call(Call.KCMP.number(), one, other, KCMP_VM, 0, 0) == 0;
    }
}
