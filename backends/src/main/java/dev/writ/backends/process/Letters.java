// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.core.capability.FilePath;
import dev.writ.kernel.FileCalls;

/// Finds folders in which names that differ in upper and lower case only are one name, as shared
/// folders of other systems have it. There `.GIT/hooks` is `.git/hooks`, and no rule knows it.
final class Letters {
    private Letters() {}

    /// Whether `folder` is such a folder, or lies in one.
    static boolean areOne(FileCalls files, FilePath folder) {
        if (files.lookAtItself(bytes(folder)) < 0 || (files.mode() & S_IFMT) != S_IFDIR) {
            return false;
        }
        // The name of what is mounted is one of the folder around it.
        String name =
                folder.segments().isEmpty() || files.isMounted() ? "" : folder.segments().getLast();
        boolean tells = !other(name).equals(name);
        return (tells && isSuch(files, folder, files.device(), files.inode()))
                || isSuchWithin(files, folder, tells);
    }

    /// Where no name of its own can tell, the names in it do.
    private static boolean isSuchWithin(FileCalls files, FilePath folder, boolean named) {
        int opened = files.open(FileCalls.AT_FDCWD, bytes(folder), FileCalls.O_DIRECTORY, 0);
        if (opened < 0) {
            return false;
        }
        try {
            return files.ignoresCase(opened) || (!named && hasSuch(files, folder, opened));
        } finally {
            files.close(opened);
        }
    }

    private static boolean hasSuch(FileCalls files, FilePath folder, int opened) {
        for (var name : files.names(opened)) {
            String text = Places.text(name, 0, name.length);
            var path = folder.resolve(text);
            boolean tells =
                    !other(text).equals(text)
                            && files.lookAtItself(bytes(path)) == 0
                            && (files.mode() & S_IFMT) == S_IFDIR;
            if (tells) {
                return isSuch(files, path, files.device(), files.inode());
            }
        }
        return false;
    }

    /// Whether what is at `path` has a second name there. Folders only: nobody can give them one.
    private static boolean isSuch(FileCalls files, FilePath path, long device, long inode) {
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
