// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;

/// Which file it is, whatever its names, how long, and when somebody last changed it.
record FileId(long device, long inode, long size, FileTime changed) {
    /// The file that `path` leads to.
    static FileId of(Path path) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, "unix:dev,ino,size,ctime");
        return new FileId(
                number(found, "dev"),
                number(found, "ino"),
                number(found, "size"),
                found.get("ctime") instanceof FileTime time ? time : FileTime.fromMillis(0));
    }

    private static long number(Map<String, Object> attributes, String name) {
        return attributes.get(name) instanceof Number number ? number.longValue() : -1;
    }

    boolean isSameFile(FileId other) {
        return device == other.device && inode == other.inode;
    }
}
