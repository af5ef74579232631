// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.sandbox.SandboxSpec;
import dev.writ.kernel.FileCalls;
import java.util.function.Supplier;

/// What the first program of a sandbox is given to read. Whoever has it from there reads what the
/// host has written, as far as nobody has read it before.
///
/// @param inode 0 if it is nothing of the host's
/// @param words what the host says of it
record FirstInput(long device, long inode, Supplier<String> words) {
    static final FirstInput NONE = new FirstInput(0, 0, () -> SandboxSpec.STREAM);

    /// @param descriptor the end that the program gets
    static FirstInput of(FileCalls files, int descriptor, Supplier<String> words) {
        return files.look(descriptor) == 0
                ? new FirstInput(files.device(), files.inode(), words)
                : new FirstInput(0, 0, words);
    }

    /// Whether it is what was looked at last.
    boolean is(FileCalls files) {
        return inode != 0 && device == files.device() && inode == files.inode();
    }

    /// Whether it is what was looked at last, and the host has said all that is in it.
    boolean isKnown(FileCalls files) {
        return is(files) && !words.get().startsWith(SandboxSpec.STREAM);
    }
}
