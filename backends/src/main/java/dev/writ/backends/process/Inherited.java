// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.KernelException;
import dev.writ.kernel.Terminal;
import java.util.Optional;

/// What a program gets of this process's own streams.
///
/// A terminal is mostly open for both ways, whichever of the three it is, and the program is in a
/// session of its own, where nobody stops who reads while the terminal is for somebody else: the
/// shell, after `&`, and whoever asks for a password there. So it gets a terminal as input to read,
/// if that is for us now, and as output to write. A pager at the end of a pipe has its keys from
/// standard error; so that one it gets as it is, if the terminal is for us now.
record Inherited(Kernel kernel) {
    private static final byte[] NOTHING = Walker.bytes("/dev/null");
    private static final int READ = 0;

    /// All three. Nothing, if a terminal cannot be opened again, as by who has become somebody else
    /// since.
    Optional<int[]> all() {
        var streams = new int[] {input(), -1, -1};
        for (int i = 1; i < streams.length; i++) {
            streams[i] = output(i);
            if (streams[i] < 0) {
                Pipes.closeTheirs(new FileCalls(kernel), streams);
                return Optional.empty();
            }
        }
        return Optional.of(streams);
    }

    int input() {
        var terminal = new Terminal(kernel);
        if (!terminal.isTerminal(0)) {
            return 0;
        }
        var files = new FileCalls(kernel);
        int again = terminal.isForeground(0) ? open(0, READ) : -1;
        return again >= 0 ? again : check(files.open(FileCalls.AT_FDCWD, NOTHING, READ, 0));
    }

    private int output(int number) {
        return isTerminal(number) && !(number == 2 && isLikePager())
                ? open(number, FileCalls.O_WRONLY)
                : number;
    }

    private boolean isLikePager() {
        return !isTerminal(0) && isTerminal(1) && new Terminal(kernel).isForeground(1);
    }

    private boolean isTerminal(int number) {
        return new Terminal(kernel).isTerminal(number);
    }

    private int open(int number, int access) {
        return new FileCalls(kernel).reopen(number, access | FileCalls.O_NOCTTY);
    }

    private static int check(int opened) {
        if (opened < 0) {
            throw new KernelException("open of a stream", -opened);
        }
        return opened;
    }
}
