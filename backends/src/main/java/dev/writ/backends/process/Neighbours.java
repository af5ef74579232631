// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Errno;
import dev.writ.kernel.Notifications.Notification;
import java.util.function.IntPredicate;

/// Calls that name another task by its number: fine within the sandbox, refused for outsiders. All
/// that matters stands in registers, which nobody can change meanwhile, so the kernel may go on.
final class Neighbours {
    private static final int PRIO_PROCESS = 0;
    private static final int IOPRIO_WHO_PROCESS = 1;

    private final Worker worker;
    private final IntPredicate isMember;

    Neighbours(Worker worker, IntPredicate isMember) {
        this.worker = worker;
        this.isMember = isMember;
    }

    /// The first argument is a task.
    void ownTask(Notification call) {
        pass(call, true, call.argument(0));
    }

    void priority(Notification call) {
        pass(call, (int) call.argument(0) == PRIO_PROCESS, call.argument(1));
    }

    void inputPriority(Notification call) {
        pass(call, (int) call.argument(0) == IOPRIO_WHO_PROCESS, call.argument(1));
    }

    private void pass(Notification call, boolean one, long task) {
        if (!one || !isMember.test((int) task)) {
            throw new Failed(Errno.EPERM);
        }
        worker.notifications.letPass(call.id());
    }
}
