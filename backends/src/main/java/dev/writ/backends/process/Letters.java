// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.core.capability.FilePath;
import dev.writ.kernel.FileCalls;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds folders in which names that differ in upper and lower case only are one name, as shared
/// folders of other systems have it. There `.GIT/hooks` is `.git/hooks`, and no rule knows it.
final class Letters {
    /// Disks whose folders tell letters apart, unless one has been told otherwise and says so.
    private static final Set<String> PLAIN =
            Set.of(
                    "ext2",
                    "ext3",
                    "ext4",
                    "btrfs",
                    "f2fs",
                    "bcachefs",
                    "tmpfs",
                    "ramfs",
                    "rootfs",
                    "overlay",
                    "squashfs",
                    "erofs",
                    "proc",
                    "sysfs",
                    "devtmpfs",
                    "devpts",
                    "cgroup",
                    "cgroup2",
                    "mqueue",
                    "hugetlbfs",
                    "securityfs",
                    "tracefs",
                    "debugfs",
                    "bpf",
                    "configfs",
                    "pstore",
                    "autofs",
                    "binfmt_misc",
                    "fusectl",
                    "efivarfs",
                    "nsfs");

    /// Disks on which letters are one, whatever their options.
    private static final Set<String> OF_ONE_CASE =
            Set.of("vfat", "msdos", "exfat", "hfsplus", "cifs", "smb3");

    /// Disks that can be made of one case, and hardly ever are. Of any other kind nothing is known,
    /// and most of those are shares of other systems.
    private static final Set<String> MOSTLY_PLAIN =
            Set.of("xfs", "zfs", "nfs", "nfs4", "ceph", "jfs", "nilfs2", "gfs2", "ocfs2", "lustre");

    /// What distributions fill, and nobody else.
    private static final Set<String> SYSTEM =
            Set.of("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "proc", "sys");

    private final FileCalls files;

    private @Nullable Mounts mounts;

    Letters(FileCalls files) {
        this.files = files;
    }

    private Mounts mounts() {
        var known = mounts;
        if (known == null) {
            known = Mounts.ofMachine();
            mounts = known;
        }
        return known;
    }

    /// Whether `folder` is such a folder, or lies in one.
    boolean areOne(FilePath folder) {
        String type = mounts().type(folder);
        if (!PLAIN.contains(type)) {
            return OF_ONE_CASE.contains(type)
                    || areOneByName(folder, !MOSTLY_PLAIN.contains(type))
                    || areOneByFlag(folder);
        }
        boolean ofSystem =
                !folder.segments().isEmpty() && SYSTEM.contains(folder.segments().getFirst());
        return !ofSystem && areOneByFlag(folder);
    }

    private boolean areOneByFlag(FilePath folder) {
        int opened = files.open(FileCalls.AT_FDCWD, bytes(folder), FileCalls.O_DIRECTORY, 0);
        if (opened < 0) {
            return false;
        }
        boolean one = files.ignoresCase(opened);
        files.close(opened);
        return one;
    }

    /// The name of a folder tells, or, where it does not, those in it do.
    ///
    /// @param unless what holds if there are none
    private boolean areOneByName(FilePath folder, boolean unless) {
        if (files.lookAtItself(bytes(folder)) < 0 || (files.mode() & S_IFMT) != S_IFDIR) {
            return false;
        }
        // The name of what is mounted is one of the folder around it.
        String name =
                folder.segments().isEmpty() || files.isMounted() ? "" : folder.segments().getLast();
        return other(name).equals(name) ? areOneWithin(folder, unless) : isSuch(folder);
    }

    private boolean areOneWithin(FilePath folder, boolean unless) {
        int opened = files.open(FileCalls.AT_FDCWD, bytes(folder), FileCalls.O_DIRECTORY, 0);
        if (opened < 0) {
            return false;
        }
        try {
            return hasSuch(folder, opened, unless);
        } finally {
            files.close(opened);
        }
    }

    private boolean hasSuch(FilePath folder, int opened, boolean unless) {
        for (var name : files.names(opened)) {
            String text = Places.text(name, 0, name.length);
            var path = folder.resolve(text);
            if (!other(text).equals(text) && files.lookAtItself(bytes(path)) == 0 && hasOneName()) {
                return isSuch(path);
            }
        }
        return unless;
    }

    /// Whether nobody can have given it a second name. A folder counts its folders as links.
    private boolean hasOneName() {
        return (files.mode() & S_IFMT) == S_IFDIR || files.links() == 1;
    }

    /// Whether what is at `path`, where `files` has just looked, has a second name there: one that
    /// nobody has given it.
    private boolean isSuch(FilePath path) {
        long device = files.device();
        long inode = files.inode();
        long changed = files.changed();
        var second = path.parent().resolve(other(path.segments().getLast()));
        // Some disks number what they are asked for by its name. Hardly two things change at once.
        return files.lookAtItself(bytes(second)) == 0
                && files.device() == device
                && (files.inode() == inode || files.changed() == changed);
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
