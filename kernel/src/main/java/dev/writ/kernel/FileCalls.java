// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// openat(2) and its family: files by descriptor and name. Names are bytes, as the kernel has them.
/// A failure comes back as the negated error number.
public final class FileCalls {
    public static final int AT_FDCWD = -100;

    public static final int O_ACCMODE = 3;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0100;
    public static final int O_EXCL = 0200;
    public static final int O_NOCTTY = 0400;
    public static final int O_TRUNC = 01000;
    public static final int O_APPEND = 02000;
    public static final int O_NONBLOCK = 04000;
    public static final int O_DIRECTORY = Arch.here() == Arch.X86_64 ? 0200000 : 040000;
    public static final int O_NOFOLLOW = Arch.here() == Arch.X86_64 ? 0400000 : 0100000;
    public static final int O_CLOEXEC = 02000000;
    public static final int O_PATH = 010000000;

    /// The bit of O_TMPFILE that is not O_DIRECTORY.
    public static final int O_TMPFILE_BIT = 020000000;

    // the types of files, as they stand in a mode
    public static final int S_IFMT = 0170000;
    public static final int S_IFIFO = 0010000;
    public static final int S_IFCHR = 0020000;
    public static final int S_IFDIR = 0040000;
    public static final int S_IFSOCK = 0140000;
    public static final int S_IFBLK = 0060000;
    public static final int S_IFREG = 0100000;
    public static final int S_IFLNK = 0120000;

    public static final long RESOLVE_NO_MAGICLINKS = 2;
    public static final long RESOLVE_NO_SYMLINKS = 4;

    public static final int AT_SYMLINK_NOFOLLOW = 0x100;
    public static final int AT_REMOVEDIR = 0x200;
    public static final int AT_SYMLINK_FOLLOW = 0x400;
    private static final int AT_NO_AUTOMOUNT = 0x800;
    public static final int AT_EMPTY_PATH = 0x1000;

    private static final int PATH_MAX = 4096;
    private static final int ENTRIES = 1 << 15;
    private static final int LOCK_EX = 2;
    private static final int LOCK_NB = 4;
    private static final int POLLIN = 1;
    private static final int SPLICE_F_NONBLOCK = 2;
    private static final long TMPFS_MAGIC = 0x01021994;
    private static final long PROC_MAGIC = 0x9fa0;
    private static final long FS_IOC_GETFLAGS = 0x80086601L;

    /// A flag of a folder: upper and lower case make no difference in it.
    public static final int FS_CASEFOLD_FL = 0x4000_0000;

    private static final int STATX_ATTR_MOUNT_ROOT = 0x2000;
    private static final int STATX_WANTED = 0xfff; // the basic ones, and the birth
    private static final byte[] EMPTY = {};
    private static final byte[] OWN_DESCRIPTORS =
            "/proc/self/fd/".getBytes(StandardCharsets.US_ASCII);

    private final Kernel kernel;
    private final MemorySegment path;
    private final MemorySegment otherPath;
    private final MemorySegment text;
    private final MemorySegment how;
    private final MemorySegment status;

    public FileCalls(Kernel kernel) {
        this.kernel = kernel;
        this.path = kernel.memory(PATH_MAX + 1);
        this.otherPath = kernel.memory(PATH_MAX + 1);
        this.text = kernel.memory(PATH_MAX + 1);
        this.how = kernel.memory(24);
        this.status = kernel.memory(256);
    }

    private static long put(MemorySegment memory, byte[] name) {
        int length = Math.min(name.length, PATH_MAX);
        MemorySegment.copy(name, 0, memory, JAVA_BYTE, 0, length);
        memory.set(JAVA_BYTE, length, (byte) 0);
        return memory.address();
    }

    /// Writes the name under which this process has `descriptor`.
    long putOwn(int descriptor) {
        MemorySegment.copy(OWN_DESCRIPTORS, 0, path, JAVA_BYTE, 0, OWN_DESCRIPTORS.length);
        int at = OWN_DESCRIPTORS.length;
        int divisor = 1;
        while (descriptor / divisor >= 10) {
            divisor *= 10;
        }
        for (; divisor > 0; divisor /= 10) {
            path.set(JAVA_BYTE, at++, (byte) ('0' + descriptor / divisor % 10));
        }
        path.set(JAVA_BYTE, at, (byte) 0);
        return path.address();
    }

    /// A handle on what `name` leads to; nothing is opened.
    public int find(int folder, byte[] name, boolean follow, long resolve) {
        long flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
        return openat2(folder, name, flags, 0, resolve);
    }

    private int openat2(int folder, byte[] name, long flags, long mode, long resolve) {
        // struct open_how { u64 flags, mode, resolve; }
        how.set(JAVA_LONG, 0, flags);
        how.set(JAVA_LONG, 8, mode);
        how.set(JAVA_LONG, 16, resolve);
        return (int) kernel.call(Call.OPENAT2.number(), folder, put(path, name), how.address(), 24);
    }

    /// Why nothing can be opened in this way, whatever it is: an error below zero, or 0. The kernel
    /// looks at the way before it looks at the name, and nothing has an empty one.
    public int checkHow(long flags, long mode, long resolve) {
        int error = openat2(AT_FDCWD, new byte[0], flags, mode, resolve);
        return error == -Errno.ENOENT ? 0 : error;
    }

    public int open(int folder, byte[] name, int flags, int mode) {
        return (int)
                kernel.call(Call.OPENAT.number(), folder, put(path, name), flags | O_CLOEXEC, mode);
    }

    /// Opens the object of a handle.
    public int reopen(int descriptor, int flags) {
        return (int)
                kernel.call(
                        Call.OPENAT.number(),
                        AT_FDCWD,
                        putOwn(descriptor),
                        (flags | O_CLOEXEC) & ~(O_NOFOLLOW | O_CREAT | O_EXCL),
                        0);
    }

    /// Where the object of a handle lies, as the kernel says; nothing if it cannot say.
    public byte[] place(int descriptor) {
        return readLink(AT_FDCWD, putOwn(descriptor));
    }

    public byte[] readLink(int folder, byte[] name) {
        return readLink(folder, put(path, name));
    }

    private byte[] readLink(int folder, long name) {
        long length = kernel.call(Call.READLINKAT.number(), folder, name, text.address(), PATH_MAX);
        return length <= 0 ? EMPTY : text.asSlice(0, length).toArray(JAVA_BYTE);
    }

    /// Looks at the object of a handle; ask the accessors after it gave 0.
    public int look(int descriptor) {
        path.set(JAVA_BYTE, 0, (byte) 0);
        return (int)
                kernel.call(
                        Call.STATX.number(),
                        descriptor,
                        path.address(),
                        AT_EMPTY_PATH,
                        STATX_WANTED,
                        status.address());
    }

    /// Looks at what `name` leads to; ask the accessors after it gave 0.
    public int lookAt(byte[] name) {
        return lookAt(name, 0);
    }

    /// Looks at what has the name, even if that is a link; ask the accessors after it gave 0.
    /// Nothing is mounted for it.
    public int lookAtItself(byte[] name) {
        return lookAt(name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
    }

    private int lookAt(byte[] name, int flags) {
        return (int)
                kernel.call(
                        Call.STATX.number(),
                        AT_FDCWD,
                        put(path, name),
                        flags,
                        STATX_WANTED,
                        status.address());
    }

    /// Whether what `name` leads to lies in memory only.
    public boolean isInMemory(byte[] name) {
        // struct statfs { long f_type; ... }
        long result = kernel.call(Call.STATFS.number(), put(path, name), text.address());
        return result == 0 && text.get(JAVA_LONG, 0) == TMPFS_MAGIC;
    }

    /// Whether the object of a handle lies in a proc(5), wherever that is mounted.
    public boolean isInProc(int descriptor) {
        long result = kernel.call(Call.FSTATFS.number(), descriptor, text.address());
        return result == 0 && text.get(JAVA_LONG, 0) == PROC_MAGIC;
    }

    // struct statx: attributes at 8, nlink 16, uid 20, mode 28, ino 32, size 40, blocks 48, btime
    // 80, ctime 96,
    // mtime 112, rdev_major 128, rdev_minor, dev_major, dev_minor

    /// Whether something is mounted here, and the object is the root of that.
    public boolean isMounted() {
        return (status.get(JAVA_LONG, 8) & STATX_ATTR_MOUNT_ROOT) != 0;
    }

    public int links() {
        return status.get(JAVA_INT, 16);
    }

    public int group() {
        return status.get(JAVA_INT, 24);
    }

    public int owner() {
        return status.get(JAVA_INT, 20);
    }

    public int mode() {
        return status.get(JAVA_SHORT, 28) & 0xffff;
    }

    public long inode() {
        return status.get(JAVA_LONG, 32);
    }

    public long size() {
        return status.get(JAVA_LONG, 40);
    }

    /// When its content was changed, in seconds; and the nanoseconds beyond them.
    public long modified() {
        return status.get(JAVA_LONG, 112);
    }

    public int modifiedNanos() {
        return status.get(JAVA_INT, 120);
    }

    /// When anything about it was changed, in nanoseconds.
    public long changed() {
        return status.get(JAVA_LONG, 96) * 1_000_000_000 + status.get(JAVA_INT, 104);
    }

    /// The room that the object takes, in bytes.
    public long room() {
        return status.get(JAVA_LONG, 48) * 512;
    }

    /// When the object was made, in nanoseconds; 0 where that is not kept.
    public long born() {
        return status.get(JAVA_LONG, 80) * 1_000_000_000 + status.get(JAVA_INT, 88);
    }

    /// The device that the object lies on.
    public long device() {
        return pair(136);
    }

    /// Whether there is no disk behind that device: what the kernel shows as files has none.
    public boolean isOnNoDisk() {
        return status.get(JAVA_INT, 136) == 0;
    }

    /// The device that the object is: major number in the high half, minor in the low half.
    public long deviceItself() {
        return pair(128);
    }

    private long pair(int at) {
        return ((long) status.get(JAVA_INT, at) << 32)
                | (status.get(JAVA_INT, at + 4) & 0xffffffffL);
    }

    /// Whether this process may do `wanted` with the object of a handle.
    public int access(int descriptor, int wanted) {
        return (int) kernel.call(Call.FACCESSAT.number(), AT_FDCWD, putOwn(descriptor), wanted);
    }

    public int makeFolder(int folder, byte[] name, int mode) {
        return (int) kernel.call(Call.MKDIRAT.number(), folder, put(path, name), mode);
    }

    public int makeNode(int folder, byte[] name, int mode, long device) {
        return (int) kernel.call(Call.MKNODAT.number(), folder, put(path, name), mode, device);
    }

    public int remove(int folder, byte[] name, int flags) {
        return (int) kernel.call(Call.UNLINKAT.number(), folder, put(path, name), flags);
    }

    public int rename(int folder, byte[] name, int newFolder, byte[] newName, int flags) {
        return (int)
                kernel.call(
                        Call.RENAMEAT2.number(),
                        folder,
                        put(path, name),
                        newFolder,
                        put(otherPath, newName),
                        flags);
    }

    /// A further name for the object of a handle.
    public int link(int descriptor, int newFolder, byte[] newName) {
        return (int)
                kernel.call(
                        Call.LINKAT.number(),
                        AT_FDCWD,
                        putOwn(descriptor),
                        newFolder,
                        put(otherPath, newName),
                        AT_SYMLINK_FOLLOW);
    }

    public int symlink(byte[] target, int folder, byte[] name) {
        return (int)
                kernel.call(
                        Call.SYMLINKAT.number(), put(path, target), folder, put(otherPath, name));
    }

    public int truncate(int descriptor, long length) {
        return (int) kernel.call(Call.TRUNCATE.number(), putOwn(descriptor), length);
    }

    public int changeMode(int descriptor, int mode) {
        return (int) kernel.call(Call.FCHMODAT.number(), AT_FDCWD, putOwn(descriptor), mode);
    }

    public int changeOwner(int descriptor, int user, int group) {
        path.set(JAVA_BYTE, 0, (byte) 0);
        return (int)
                kernel.call(
                        Call.FCHOWNAT.number(),
                        descriptor,
                        path.address(),
                        user & 0xffffffffL,
                        group & 0xffffffffL,
                        AT_EMPTY_PATH);
    }

    /// Sets access and change time.
    ///
    /// @param times two times of seconds and nanoseconds each, or nothing for now
    public int changeTimes(int descriptor, long... times) {
        for (int i = 0; i < times.length; i++) {
            text.set(JAVA_LONG, 8L * i, times[i]);
        }
        return (int)
                kernel.call(
                        Call.UTIMENSAT.number(),
                        AT_FDCWD,
                        putOwn(descriptor),
                        times.length == 0 ? 0 : text.address(),
                        0);
    }

    public int watch(int inotify, int descriptor, int mask) {
        return (int)
                kernel.call(Call.INOTIFY_ADD_WATCH.number(), inotify, putOwn(descriptor), mask);
    }

    /// Whether the kernel has been told to make no difference between upper and lower case in the
    /// folder of a handle. Disks that never make one do not say so.
    public boolean ignoresCase(int folder) {
        text.set(JAVA_INT, 0, 0);
        long got = kernel.call(Call.IOCTL.number(), folder, FS_IOC_GETFLAGS, text.address());
        return got == 0 && (text.get(JAVA_INT, 0) & FS_CASEFOLD_FL) != 0;
    }

    /// An ioctl whose argument is `bytes`.
    public int control(int descriptor, int request, byte[] bytes) {
        MemorySegment.copy(bytes, 0, text, JAVA_BYTE, 0, bytes.length);
        return (int)
                kernel.call(Call.IOCTL.number(), descriptor, request & 0xffffffffL, text.address());
    }

    /// Another descriptor for the same.
    public int copy(int descriptor) {
        return (int) kernel.call(Call.FCNTL.number(), descriptor, 1030, 3); // F_DUPFD_CLOEXEC
    }

    /// The flags that `descriptor` was opened with.
    public int flags(int descriptor) {
        return (int) kernel.call(Call.FCNTL.number(), descriptor, 3, 0); // F_GETFL
    }

    public int setFlags(int descriptor, int flags) {
        return (int) kernel.call(Call.FCNTL.number(), descriptor, 4, flags); // F_SETFL
    }

    /// Whether somebody has the other end of a pipe open, or had it since this one was opened.
    ///
    /// @param sink the end to write of a pipe that nobody reads
    public boolean hasWriter(int pipe, int sink) {
        if (isReady(pipe, POLLIN)) {
            return true;
        }
        // Takes nothing out; says EAGAIN if there is somebody who has written nothing so far.
        return kernel.call(Call.TEE.number(), pipe, sink, 1, SPLICE_F_NONBLOCK) != 0;
    }

    private boolean isReady(int descriptor, int events) {
        // struct pollfd { int fd; short events, revents; }
        text.set(JAVA_INT, 0, descriptor);
        text.set(JAVA_INT, 4, events);
        how.set(JAVA_LONG, 0, 0);
        how.set(JAVA_LONG, 8, 0);
        return kernel.call(Call.PPOLL.number(), text.address(), 1, how.address(), 0, 0) > 0;
    }

    /// Makes `descriptor` the working directory of the calling thread, which must have its own.
    public int enter(int descriptor) {
        return (int) kernel.call(Call.FCHDIR.number(), descriptor);
    }

    /// Makes the folder `name` the working directory of the calling thread, which must have its
    // own.
    public int enter(byte[] name) {
        return (int) kernel.call(Call.CHDIR.number(), put(path, name));
    }

    /// A pipe: the end to read in the low half, the end to write in the high half.
    public long pipe() {
        long result = kernel.call(Call.PIPE2.number(), text.address(), O_CLOEXEC);
        return result < 0
                ? result
                : ((long) text.get(JAVA_INT, 4) << 32) | (text.get(JAVA_INT, 0) & 0xffffffffL);
    }

    /// The next names in a folder that is open, without `.` and `..`; nothing at the end, or if it
    /// cannot be read.
    public List<byte[]> names(int folder) {
        var names = new ArrayList<byte[]>();
        try (var memory = Arena.ofConfined()) {
            var entries = memory.allocate(ENTRIES, 8);
            long length = 1;
            // A part of a folder may hold the two alone.
            while (names.isEmpty() && length > 0) {
                length = kernel.call(Call.GETDENTS64.number(), folder, entries.address(), ENTRIES);
                // struct linux_dirent64 { u64 ino; i64 off; u16 length; u8 type; char name[]; }
                for (long at = 0; at < length; at += entries.get(JAVA_SHORT, at + 16)) {
                    byte[] name = text(entries, at + 19);
                    if (!isOneOfTwo(name)) {
                        names.add(name);
                    }
                }
            }
        }
        return names;
    }

    private static byte[] text(MemorySegment memory, long from) {
        long end = from;
        while (memory.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        return memory.asSlice(from, end - from).toArray(JAVA_BYTE);
    }

    private static boolean isOneOfTwo(byte[] name) {
        return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
    }

    /// Lets [#names] begin again.
    public void rewind(int folder) {
        kernel.call(Call.LSEEK.number(), folder, 0, 0);
    }

    /// flock(2): locks what is open for this descriptor and its copies alone, if nobody has it
    /// locked. It is free again when all of them are closed, by whatever means.
    public int lock(int descriptor) {
        return (int) kernel.call(Call.FLOCK.number(), descriptor, LOCK_EX | LOCK_NB);
    }

    /// Reads up to `most` bytes, at most one page.
    public byte[] read(int descriptor, int most) {
        long length =
                kernel.call(
                        Call.READ.number(), descriptor, text.address(), Math.min(most, PATH_MAX));
        return length <= 0 ? EMPTY : text.asSlice(0, length).toArray(JAVA_BYTE);
    }

    /// Writes at most one page.
    public int write(int descriptor, byte[] bytes) {
        int length = Math.min(bytes.length, PATH_MAX);
        return (int) kernel.call(Call.WRITE.number(), descriptor, put(text, bytes), length);
    }

    public void close(int descriptor) {
        if (descriptor >= 0) {
            kernel.call(Call.CLOSE.number(), descriptor);
        }
    }
}
