// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/// Empties a folder of whatever an agent has put there: links lead nowhere, since everything is
/// reached by handles; folders that nobody may read are opened up; and what lies deep is moved up
/// first, so that no depth is too much for names, descriptors or the stack.
final class Removal {
    private static final int OWN = 0700;
    private static final int RENAME_NOREPLACE = 1;
    private static final long LONGEST = TimeUnit.MINUTES.toNanos(1);

    private final FileCalls files;
    private final int top;
    private final long started = System.nanoTime();
    private long moved;

    private Removal(FileCalls files, int top) {
        this.files = files;
        this.top = top;
    }

    /// Removes everything in the folder that is open as `top`.
    ///
    /// @return whether nothing is left
    static boolean empty(FileCalls files, int top) {
        files.changeMode(top, OWN);
        return new Removal(files, top).empty();
    }

    private boolean empty() {
        while (true) {
            files.rewind(top);
            var names = files.names(top);
            if (names.isEmpty()) {
                return true;
            }
            boolean progress = false;
            for (var name : names) {
                progress |= isRemoved(top, name) || isFolderRemoved(name);
            }
            if (!progress || !isInTime()) {
                return false;
            }
        }
    }

    private boolean isRemoved(int folder, byte[] name) {
        return files.remove(folder, name, 0) == 0
                || files.remove(folder, name, FileCalls.AT_REMOVEDIR) == 0;
    }

    private boolean isFolderRemoved(byte[] name) {
        int folder = open(files, top, name);
        try {
            return folder >= 0
                    && isCleared(folder)
                    && files.remove(top, name, FileCalls.AT_REMOVEDIR) == 0;
        } finally {
            files.close(folder);
        }
    }

    /// Removes what `folder` has in it, or moves it up.
    private boolean isCleared(int folder) {
        while (true) {
            files.rewind(folder);
            var names = files.names(folder);
            if (names.isEmpty()) {
                return true;
            }
            for (var name : names) {
                if (!isRemoved(folder, name) && !isMovedUp(folder, name)) {
                    return false;
                }
            }
            if (!isInTime()) {
                return false;
            }
        }
    }

    private boolean isMovedUp(int folder, byte[] name) {
        // A folder can be moved by whoever may write to it.
        files.close(open(files, folder, name));
        int result;
        do {
            byte[] free = Long.toString(moved++).getBytes(StandardCharsets.US_ASCII);
            result = files.rename(folder, name, top, free, RENAME_NOREPLACE);
        } while (result == -Errno.EEXIST && isInTime());
        return result == 0;
    }

    /// Whoever adds as fast as this removes is not waited for.
    private boolean isInTime() {
        return System.nanoTime() - started < LONGEST;
    }

    /// Opens the folder `name`, also if its mode forbids that; no link. Negative if there is none.
    static int open(FileCalls files, int folder, byte[] name) {
        int handle = files.find(folder, name, false, 0);
        if (handle < 0) {
            return handle;
        }
        files.changeMode(handle, OWN);
        int opened = files.reopen(handle, FileCalls.O_DIRECTORY);
        files.close(handle);
        return opened;
    }
}
