// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// Which file it is, whatever its names, and how long.
record FileId(long device, long inode, long size) {
    /// The file that `path` leads to.
    static FileId of(Path path) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, "unix:dev,ino,size");
        return new FileId(number(found, "dev"), number(found, "ino"), number(found, "size"));
    }

    private static long number(Map<String, Object> attributes, String name) {
        return attributes.get(name) instanceof Number number ? number.longValue() : -1;
    }

    boolean isSameFile(FileId other) {
        return device == other.device && inode == other.inode;
    }
}
