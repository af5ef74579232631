// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Notifications.Notification;

/// Who wants something done to a name.
sealed interface Caller {
    /// @throws Failed if nobody waits for it any more
    void requireWaiting();

    /// What is made for it is subject to this.
    int umask();

    /// A confined program that waits in a call.
    record Program(Worker worker, Notification call) implements Caller {
        @Override
        public void requireWaiting() {
            worker.requireWaiting(call);
        }

        @Override
        public int umask() {
            return Tasks.umask(worker, call.task());
        }
    }

    /// The host application.
    record Application(Worker worker) implements Caller {
        private static final int OWN = (int) ProcessHandle.current().pid();

        @Override
        public void requireWaiting() {}

        @Override
        public int umask() {
            return Tasks.umask(worker, OWN);
        }
    }
}
