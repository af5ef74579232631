// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFLNK;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.core.capability.FilePath;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.IntPredicate;

/// Finds what a confined process means by a path, as the kernel would find it for that process, and
/// holds on to it by a handle, so that what is judged is what is acted upon.
///
/// The kernel does the walk, as long as it says the same for us as for the process. What depends on
/// who asks, `/proc/self` and the links to descriptors and folders of a process, is walked here.
final class Walker {
    static final int NO_DESCRIPTOR = -1;

    private static final int MOST_LINKS = 40;
    private static final byte[] PROC = bytes("/proc");
    private static final byte[] OWN = bytes("/proc/" + ProcessHandle.current().pid());

    private final Worker worker;
    private final FileCalls files;
    private final IntPredicate isMember;
    private final Function<byte[], byte[]> meant;

    Walker(Worker worker, IntPredicate isMember) {
        this(worker, isMember, Function.identity());
    }

    /// @param meant what a confined process means by a path, where that is not what it says
    Walker(Worker worker, IntPredicate isMember, Function<byte[], byte[]> meant) {
        this.worker = worker;
        this.files = worker.files;
        this.isMember = isMember;
        this.meant = meant;
    }

    /// An object that exists.
    ///
    /// @param holder the task of which a link in `/proc` led to it; 0 if it was found by name
    /// @param held the descriptor of that task, or [#NO_DESCRIPTOR]
    record Found(int handle, byte[] place, int holder, int held) {}

    /// A name in a folder, whether or not something has it.
    ///
    /// @param mustBeFolder whether a slash follows the name
    record Slot(int folder, byte[] name, FilePath path, boolean mustBeFolder) {
        private static final int LONGEST = 4095;

        /// What lies deeper can hardly be found by anybody, and not be removed by most.
        void requireReachable() {
            if (bytes(path.toString()).length > LONGEST) {
                throw new Failed(Errno.ENAMETOOLONG);
            }
        }
    }

    /// What `path` leads to, seen from `folder` of `task`.
    Found find(int task, int folder, byte[] path, boolean follow) {
        if (path.length == 0) {
            throw new Failed(Errno.ENOENT);
        }
        int base = path[0] == '/' ? FileCalls.AT_FDCWD : base(task, folder);
        return findFrom(base, task, meant.apply(path), follow);
    }

    /// What `path` leads to, seen from a folder that is open here.
    ///
    /// @param task whose `/proc/self` it is; 0 if there is none
    Found findFrom(int base, int task, byte[] path, boolean follow) {
        if (path.length == 0) {
            throw new Failed(Errno.ENOENT);
        }
        int handle = files.find(base, path, follow, FileCalls.RESOLVE_NO_MAGICLINKS);
        if (handle >= 0) {
            byte[] place = files.place(worker.keep(handle));
            return isOwn(place) ? walk(task, base, path, follow) : found(handle, place);
        }
        if (handle == -Errno.ELOOP || (handle == -Errno.ENOENT && mayDepend(base, path))) {
            return walk(task, base, path, follow);
        }
        throw new Failed(-handle);
    }

    private static Found found(int handle, byte[] place) {
        return new Found(handle, place, 0, 0);
    }

    /// The object that descriptor `number` of `task` refers to.
    Found held(int task, int number) {
        int handle = files.open(FileCalls.AT_FDCWD, descriptor(task, number), FileCalls.O_PATH, 0);
        if (handle < 0) {
            throw new Failed(handle == -Errno.ENOENT ? Errno.EBADF : -handle);
        }
        return new Found(worker.keep(handle), files.place(handle), task, number);
    }

    /// The name that `path` ends with, in the folder that the rest leads to.
    ///
    /// @param noName the error if it ends with no name of its own: `/`, `.` or `..`
    Slot slot(int task, int folder, byte[] path, int noName) {
        return slot(meant.apply(path), noName, parent -> find(task, folder, parent, true));
    }

    /// The same, seen from a folder that is open here.
    Slot slotFrom(int base, byte[] path, int noName) {
        return slot(path, noName, parent -> findFrom(base, 0, parent, true));
    }

    private Slot slot(byte[] path, int noName, Function<byte[], Found> find) {
        int end = path.length;
        while (end > 1 && path[end - 1] == '/') {
            end--;
        }
        int start = end;
        while (start > 0 && path[start - 1] != '/') {
            start--;
        }
        byte[] name = Arrays.copyOfRange(path, start, end);
        if (path.length == 0) {
            throw new Failed(Errno.ENOENT);
        }
        if (name.length == 0 || isDots(name)) {
            throw new Failed(noName);
        }
        byte[] parent = start == 0 ? bytes(".") : Arrays.copyOf(path, start);
        var found = find.apply(parent);
        if (found.place().length == 0 || found.place()[0] != '/') {
            throw new Failed(Errno.ENOTDIR);
        }
        var there = Places.path(found.place(), isMember);
        return new Slot(
                found.handle(),
                name,
                there.resolve(Places.text(name, 0, name.length)),
                end < path.length);
    }

    static boolean isDots(byte[] name) {
        return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
    }

    /// The folder that relative names of `task` begin at.
    private int base(int task, int folder) {
        byte[] name =
                folder == FileCalls.AT_FDCWD
                        ? bytes("/proc/" + task + "/cwd")
                        : descriptor(task, folder);
        int handle =
                files.open(FileCalls.AT_FDCWD, name, FileCalls.O_PATH | FileCalls.O_DIRECTORY, 0);
        return worker.keep(
                handle == -Errno.ENOENT && folder != FileCalls.AT_FDCWD ? -Errno.EBADF : handle);
    }

    private static byte[] descriptor(int task, int number) {
        return bytes("/proc/" + task + "/fd/" + number);
    }

    /// The descriptor that a link of this name is for; none if it is for something else, such as
    /// `cwd`.
    private static int descriptor(byte[] folder, byte[] name) {
        return Places.endsWith(folder, bytes("/fd"))
                ? Places.number(Places.text(name, 0, name.length))
                : NO_DESCRIPTOR;
    }

    private static boolean isOwn(byte[] place) {
        return Places.startsWith(place, OWN)
                && (place.length == OWN.length || place[OWN.length] == '/');
    }

    /// Whether a path that does not exist for us might exist for the process: `/dev/fd/63`.
    private boolean mayDepend(int base, byte[] path) {
        if (path[0] == '/') {
            return Places.startsWith(path, PROC) || Places.startsWith(path, bytes("/dev"));
        }
        byte[] place = files.place(base);
        return Places.startsWith(place, PROC) || Places.startsWith(place, bytes("/dev"));
    }

    // --- the walk by hand ---

    private Found walk(int task, int base, byte[] path, boolean follow) {
        var todo = new ArrayDeque<byte[]>();
        push(path, todo);
        boolean folderWanted = path[path.length - 1] == '/';
        int before = worker.kept();
        int at = path[0] == '/' ? root() : base;
        int holder = 0;
        int held = 0;
        int links = 0;
        while (!todo.isEmpty()) {
            byte[] name = todo.removeFirst();
            boolean last = todo.isEmpty() && !folderWanted;
            if (isSelf(name) && Arrays.equals(files.place(at), PROC)) {
                push(self(task, name), todo);
                continue;
            }
            int next =
                    worker.keep(files.open(at, name, FileCalls.O_PATH | FileCalls.O_NOFOLLOW, 0));
            holder = 0;
            if (isLink(next) && (follow || !last)) {
                if (++links > MOST_LINKS) {
                    throw new Failed(Errno.ELOOP);
                }
                int process = process(files.place(at));
                if (process > 0) {
                    next = through(process, at, name);
                    holder = process;
                    held = descriptor(files.place(at), name);
                } else {
                    byte[] target = files.readLink(at, name);
                    if (target.length == 0) {
                        throw new Failed(Errno.ENOENT);
                    }
                    push(target, todo);
                    next = target[0] == '/' ? root() : at;
                }
            }
            at = next;
            // A path may have thousands of steps: no more is held than where it has come to.
            worker.closeKeptBeyond(before, at);
        }
        return new Found(at, files.place(at), holder, held);
    }

    /// Through a link of `/proc/PROCESS`, which leads to an object and not to a name.
    private int through(int process, int folder, byte[] name) {
        if (!isMember.test(process)) {
            throw new Failed(Errno.EACCES);
        }
        return worker.keep(files.open(folder, name, FileCalls.O_PATH, 0));
    }

    /// The process whose folder in `/proc` this place lies in; 0 if it is none.
    private static int process(byte[] place) {
        if (!Places.startsWith(place, bytes("/proc/"))) {
            return 0;
        }
        int end = PROC.length + 1;
        while (end < place.length && place[end] != '/') {
            end++;
        }
        return Places.number(Places.text(place, PROC.length + 1, end));
    }

    private static boolean isSelf(byte[] name) {
        return Arrays.equals(name, bytes("self")) || Arrays.equals(name, bytes("thread-self"));
    }

    /// What `/proc/self` and `/proc/thread-self` say to `task`.
    private byte[] self(int task, byte[] name) {
        int process = Tasks.process(worker, task);
        return bytes(name.length == 4 ? "" + process : process + "/task/" + task);
    }

    private int root() {
        return worker.keep(
                files.open(
                        FileCalls.AT_FDCWD,
                        bytes("/"),
                        FileCalls.O_PATH | FileCalls.O_DIRECTORY,
                        0));
    }

    private boolean isLink(int handle) {
        return files.look(handle) == 0 && (files.mode() & S_IFMT) == S_IFLNK;
    }

    /// Puts the names of `path` before what is still to be walked.
    private static void push(byte[] path, ArrayDeque<byte[]> todo) {
        int end = path.length;
        for (int i = path.length - 1; i >= -1; i--) {
            if (i == -1 || path[i] == '/') {
                if (i + 1 < end && !(end - i == 2 && path[i + 1] == '.')) {
                    todo.addFirst(Arrays.copyOfRange(path, i + 1, end));
                }
                end = i;
            }
        }
    }

    static byte[] join(byte[] folder, byte[] name) {
        byte[] joined = new byte[folder.length + 1 + name.length];
        System.arraycopy(folder, 0, joined, 0, folder.length);
        joined[folder.length] = '/';
        System.arraycopy(name, 0, joined, folder.length + 1, name.length);
        return joined;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
