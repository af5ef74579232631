// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import java.util.Arrays;
import java.util.function.Function;

/// Shared memory and semaphores with a name (shm_open(3), sem_open(3)): to the kernel these are
/// files in a folder that all programs of the machine share. Those of a session lie among its
/// temporary files instead, where no other session and nobody outside meets them, they count to its
/// limits, and nothing of them is left.
///
/// Only the name changes here. What it leads to is judged as every file is.
final class OwnMemory implements Function<byte[], byte[]> {
    private static final byte[] SHARED = Walker.bytes("/dev/shm/");
    private static final String PREFIX = ".shm.";

    private final Judge judge;

    OwnMemory(Judge judge) {
        this.judge = judge;
    }

    /// The path that is meant by `path`.
    @Override
    public byte[] apply(byte[] path) {
        if (!Places.startsWith(path, SHARED) || path.length == SHARED.length) {
            return path;
        }
        byte[] name = Arrays.copyOfRange(path, SHARED.length, path.length);
        return isPlain(name)
                ? judge.ownMemory(Places.text(name, 0, name.length))
                        .map(own -> Walker.join(Walker.bytes(own.toString()), prefixed(name)))
                        .orElse(path)
                : path;
    }

    /// Whether it is one name and no way further; shm_open(3) has no others.
    private static boolean isPlain(byte[] name) {
        for (byte b : name) {
            if (b == '/') {
                return false;
            }
        }
        return !Walker.isDots(name);
    }

    private static byte[] prefixed(byte[] name) {
        byte[] prefix = Walker.bytes(PREFIX);
        byte[] all = Arrays.copyOf(prefix, prefix.length + name.length);
        System.arraycopy(name, 0, all, prefix.length, name.length);
        return all;
    }
}
