// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// On which processors a task may run: sched_setaffinity(2).
///
/// To wake a task on another processor takes several times as long as on this one, most of all in a
/// virtual machine. Tasks that only wait for each other are better off on one.
public final class Processors {
    private static final int WORDS = 128; // of 64 processors each, more than a kernel can have

    private final Kernel kernel;
    private final MemorySegment memory;

    /// Some of the processors, as a set of bits. Empty if the kernel did not say.
    public record Some(long... words) {
        public static final Some UNKNOWN = new Some();

        /// Whether all `others` are among these, and more. Not if these are not known.
        public boolean isMoreThan(Some others) {
            boolean more = false;
            for (int i = 0; i < words.length; i++) {
                long other = i < others.words.length ? others.words[i] : 0;
                if ((other & ~words[i]) != 0) {
                    return false;
                }
                more |= words[i] != other;
            }
            return more;
        }
    }

    public Processors(Kernel kernel) {
        this.kernel = kernel;
        this.memory = kernel.memory(8 * WORDS);
    }

    /// Those that `task` may run on; 0 is this thread.
    public Some of(int task) {
        long bytes =
                kernel.call(
                        Call.SCHED_GETAFFINITY.number(), task, memory.byteSize(), memory.address());
        if (bytes <= 0) {
            return Some.UNKNOWN;
        }
        var words = new long[(int) bytes / 8];
        for (int i = 0; i < words.length; i++) {
            words[i] = memory.getAtIndex(JAVA_LONG, i);
        }
        return new Some(words);
    }

    /// The one of `all` that this thread runs on.
    public Some here(Some all) {
        if (kernel.call(Call.GETCPU.number(), memory.address(), 0, 0) < 0) {
            return Some.UNKNOWN;
        }
        int number = memory.get(JAVA_INT, 0);
        if (number / 64 >= all.words().length) {
            return Some.UNKNOWN;
        }
        var words = new long[all.words().length];
        words[number / 64] = 1L << number % 64;
        return new Some(words);
    }

    /// Lets `task` run on these only; 0 is this thread. Nothing happens if they are not known.
    public void use(int task, Some processors) {
        var words = processors.words();
        if (words.length == 0) {
            return;
        }
        for (int i = 0; i < words.length; i++) {
            memory.setAtIndex(JAVA_LONG, i, words[i]);
        }
        kernel.call(Call.SCHED_SETAFFINITY.number(), task, 8L * words.length, memory.address());
    }
}
