// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Pidfd;
import dev.writ.kernel.Remark;

/// Where a program says what is wrong.
final class Errors {
    private static final int STANDARD_ERROR = 2;

    private Errors() {}

    /// Writes a line to the standard error of `task`, if there is room for it.
    static void say(Kernel kernel, FileCalls files, int task, String line) {
        int errors = Pidfd.descriptor(kernel, task, STANDARD_ERROR);
        if (errors >= 0) {
            // INVARIANT: this thread waits for nobody inside, or nothing would end any more.
            try (var own = new Kernel()) {
                new Remark(own, Walker.bytes(line)).sayTo(errors);
            }
            files.close(errors);
        }
    }
}
