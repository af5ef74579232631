// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.AT_EMPTY_PATH;
import static dev.writ.kernel.FileCalls.AT_FDCWD;
import static dev.writ.kernel.FileCalls.AT_SYMLINK_NOFOLLOW;

import dev.writ.kernel.Errno;
import dev.writ.kernel.Notifications.Notification;

/// access(2): programs ask before they act, and shall hear what would come of it.
final class Questions {
    private static final int X_OK = 1;
    private static final int W_OK = 2;
    private static final int R_OK = 4;

    private final Worker worker;
    private final Walker walker;
    private final Judge judge;

    Questions(Worker worker, Walker walker, Judge judge) {
        this.worker = worker;
        this.walker = walker;
        this.judge = judge;
    }

    void access(Notification call) {
        answer(call, AT_FDCWD, 0, (int) call.argument(1), 0);
    }

    void faccessat(Notification call) {
        answer(call, (int) call.argument(0), 1, (int) call.argument(2), 0);
    }

    void faccessat2(Notification call) {
        answer(call, (int) call.argument(0), 1, (int) call.argument(2), (int) call.argument(3));
    }

    private void answer(Notification call, int folder, int path, int wanted, int flags) {
        byte[] text = worker.text(call.task(), call.argument(path));
        var found =
                text.length == 0 && (flags & AT_EMPTY_PATH) != 0
                        ? walker.held(call.task(), folder)
                        : walker.find(
                                call.task(), folder, text, (flags & AT_SYMLINK_NOFOLLOW) == 0);
        int result = worker.files.access(found.handle(), wanted);
        if (result == 0
                && !judge.wouldPermit(
                        worker,
                        found,
                        (wanted & R_OK) != 0,
                        (wanted & W_OK) != 0,
                        (wanted & X_OK) != 0)) {
            result = -Errno.EACCES;
        }
        worker.answer(call, result);
    }
}
