// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// setxattr(2) and its family: the extended attributes of what a descriptor is a handle on. Names
/// are bytes, as the kernel has them. A failure comes back as the negated error number.
public final class FileAttributes {
    /// The most that a value, or all names together, can have.
    public static final int MOST = 65536;

    private static final int LONGEST_NAME = 256; // with its end

    private final Kernel kernel;
    private final FileCalls files;
    private final MemorySegment name;

    public FileAttributes(Kernel kernel, FileCalls files) {
        this.kernel = kernel;
        this.files = files;
        this.name = kernel.memory(LONGEST_NAME + 1);
    }

    private long put(byte[] bytes) {
        int length = Math.min(bytes.length, LONGEST_NAME); // too long stays too long
        MemorySegment.copy(bytes, 0, name, JAVA_BYTE, 0, length);
        name.set(JAVA_BYTE, length, (byte) 0);
        return name.address();
    }

    public int set(int descriptor, byte[] name, byte[] value, int flags) {
        try (var memory = Arena.ofConfined()) {
            var copy = memory.allocate(Math.max(1, value.length));
            MemorySegment.copy(value, 0, copy, JAVA_BYTE, 0, value.length);
            return (int)
                    kernel.call(
                            Call.SETXATTR.number(),
                            files.putOwn(descriptor),
                            put(name),
                            copy.address(),
                            value.length,
                            flags);
        }
    }

    public int remove(int descriptor, byte[] name) {
        return (int) kernel.call(Call.REMOVEXATTR.number(), files.putOwn(descriptor), put(name));
    }

    /// What a call has given.
    ///
    /// @param result as the kernel has it: a length, which is also given where there is no room
    public record Given(int result, byte[] bytes) {}

    /// The value of one, if it fits into `room`; with no room at all, only how long it is.
    public Given get(int descriptor, byte[] name, int room) {
        return given(
                room,
                address ->
                        kernel.call(
                                Call.GETXATTR.number(),
                                files.putOwn(descriptor),
                                put(name),
                                address,
                                room));
    }

    /// The names of all, each with a NUL behind it; as in [#get].
    public Given list(int descriptor, int room) {
        return given(
                room,
                address ->
                        kernel.call(
                                Call.LISTXATTR.number(), files.putOwn(descriptor), address, room));
    }

    private interface Reading {
        long into(long address);
    }

    private static Given given(int room, Reading reading) {
        if (room == 0) {
            return new Given((int) reading.into(0), new byte[0]);
        }
        try (var memory = Arena.ofConfined()) {
            var copy = memory.allocate(room);
            int result = (int) reading.into(copy.address());
            byte[] bytes = result <= 0 ? new byte[0] : copy.asSlice(0, result).toArray(JAVA_BYTE);
            return new Given(result, bytes);
        }
    }
}
