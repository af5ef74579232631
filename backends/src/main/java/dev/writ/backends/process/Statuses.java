// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.file.FileStatus;
import dev.writ.kernel.FileCalls;
import java.time.Instant;

/// What the kernel has just said about an object, for the host application.
final class Statuses {
    private static final int PERMISSIONS = 07777;

    private Statuses() {}

    /// Of the object that was looked at last.
    static FileStatus of(FileCalls files) {
        var type =
                switch (files.mode() & FileCalls.S_IFMT) {
                    case FileCalls.S_IFREG -> FileStatus.Type.FILE;
                    case FileCalls.S_IFDIR -> FileStatus.Type.FOLDER;
                    case FileCalls.S_IFLNK -> FileStatus.Type.LINK;
                    default -> FileStatus.Type.OTHER;
                };
        return new FileStatus(
                type,
                files.size(),
                Instant.ofEpochSecond(files.modified(), files.modifiedNanos()),
                files.mode() & PERMISSIONS,
                Long.toHexString(files.device())
                        + "-"
                        + Long.toHexString(files.inode())
                        + "-"
                        + Long.toHexString(files.size())
                        + "-"
                        + Long.toHexString(files.changed()));
    }
}
