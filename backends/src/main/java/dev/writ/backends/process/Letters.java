// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.core.capability.FilePath;
import dev.writ.kernel.FileCalls;
import java.util.List;

/// Finds folders in which names that differ in upper and lower case only are one name, as shared
/// folders of other systems have it. There `.GIT/hooks` is `.git/hooks`, and no rule knows it.
final class Letters {
    private Letters() {}

    /// Whether `folder`, at which `files` has just looked, is such a folder, or lies in one.
    static boolean areOne(FileCalls files, FilePath folder) {
        long device = files.device();
        boolean isRoot =
                folder.segments().isEmpty()
                        || files.lookAt(bytes(folder.parent())) < 0
                        || files.device() != device;
        String name = isRoot ? "" : folder.segments().getLast();
        // Where no name of its own can tell, the names in it do.
        return other(name).equals(name) ? isSuchWithin(files, folder) : isSuch(files, folder);
    }

    private static boolean isSuchWithin(FileCalls files, FilePath folder) {
        int opened = files.open(FileCalls.AT_FDCWD, bytes(folder), FileCalls.O_DIRECTORY, 0);
        try {
            for (var name : opened < 0 ? List.<byte[]>of() : files.names(opened)) {
                String text = Places.text(name, 0, name.length);
                var path = folder.resolve(text);
                boolean tells =
                        !other(text).equals(text)
                                && files.lookAtItself(bytes(path)) == 0
                                && (files.mode() & S_IFMT) == S_IFDIR;
                if (tells) {
                    return isSuch(files, path);
                }
            }
            return false;
        } finally {
            files.close(opened);
        }
    }

    /// Folders only: of these nobody can make a second name.
    private static boolean isSuch(FileCalls files, FilePath path) {
        if (files.lookAtItself(bytes(path)) < 0) {
            return false;
        }
        long device = files.device();
        long inode = files.inode();
        var second = path.parent().resolve(other(path.segments().getLast()));
        return files.lookAtItself(bytes(second)) == 0
                && files.device() == device
                && files.inode() == inode;
    }

    private static byte[] bytes(FilePath path) {
        return Places.bytes(path.toString());
    }

    /// The name with each letter in the other case.
    static String other(String name) {
        var other = new StringBuilder(name);
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
                other.setCharAt(i, (char) (c ^ 0x20));
            }
        }
        return other.toString();
    }
}
