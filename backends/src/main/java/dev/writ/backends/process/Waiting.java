// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Notifications.Notification;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Opens of named pipes that wait for somebody at the other end. If the process that waits dies,
/// nobody else would ever end the wait, so it is ended from here.
final class Waiting {
    private final Map<Integer, Integer> pipes = new ConcurrentHashMap<>();

    /// Opens the pipe behind `handle`, and waits.
    int open(Worker worker, Notification call, int handle, int flags) {
        pipes.put(call.task(), handle);
        try {
            worker.requireWaiting(call);
            return worker.files.reopen(handle, flags);
        } finally {
            pipes.remove(call.task());
        }
    }

    /// Somebody at the other end, for an instant, so that a wait for `task` ends.
    void release(FileCalls files, int task) {
        Integer handle = pipes.get(task);
        if (handle != null) {
            files.close(files.reopen(handle, FileCalls.O_RDWR | FileCalls.O_NONBLOCK));
        }
    }
}
