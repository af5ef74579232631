// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.core.sandbox.SandboxException;
import dev.writ.kernel.Credentials;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Spawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/// A folder for temporary files that is the session's own, so that `/tmp` need not be shared. It is
/// treated like a new folder inside of the policy's folder: written to where that may be, and
/// programs in it started where they may be there; its sockets are the session's own as well. What
/// guards protect is what somebody runs or trusts later, so none keeps from writing here. Gone when
/// the session ends.
///
/// While the session lives it holds a lock on the folder, which the kernel lets go of whatever
/// happens. So what was left behind by a session that was killed is known for sure, and the next
/// one removes it.
final class Scratch implements AutoCloseable {
    private static final String PREFIX = "writ-run-";
    private static final int NAME_LENGTH = PREFIX.length() + 16;
    private static final int OWN = 0700;
    private static final int MOST_TRIES = 100;

    /// Once for each process is enough.
    private static final AtomicBoolean TIDY = new AtomicBoolean();

    private final Path parent;
    private final String name;
    private final int lock;

    private Scratch(Path parent, String name, int lock) {
        this.parent = parent;
        this.name = name;
        this.lock = lock;
    }

    /// A new one in `parent`.
    static Scratch make(Path parent) {
        try (var kernel = new Kernel()) {
            var real = parent.toRealPath();
            var files = new FileCalls(kernel);
            for (int i = 0; i < MOST_TRIES; i++) {
                String name = PREFIX + digits();
                int lock = makeLocked(files, real, name);
                if (lock >= 0) {
                    return new Scratch(real, name, lock);
                }
                if (lock == -Errno.ENOSYS) {
                    throw missing(kernel, parent);
                }
            }
            throw failed(parent, "all names are taken");
        } catch (IOException e) {
            throw failed(parent, "there is no such folder");
        }
    }

    /// Nobody need be kept from guessing the name: who has it already is left alone. And to draw
    /// one that nobody can guess takes a JVM 20 ms the first time.
    private static String digits() {
        long mixed = System.nanoTime() * 0x9e3779b97f4a7c15L + ProcessHandle.current().pid();
        return Long.toHexString(mixed | Long.MIN_VALUE);
    }

    /// What each kernel has that sandboxes are made by is missing within one.
    private static RuntimeException missing(Kernel kernel, Path parent) {
        return Spawn.hasNotifications(kernel)
                ? failed(parent, Errno.text(Errno.ENOSYS))
                : new SandboxException(
                        "there is no sandbox within another, and this is in one already: start the"
                                + " command without Writ");
    }

    private static UncheckedIOException failed(Path parent, String why) {
        return new UncheckedIOException(
                "no folder for temporary files could be made in `"
                        + parent
                        + "`: "
                        + why
                        + "; `TMPDIR` says where they go",
                new IOException(why));
    }

    /// Makes the folder and locks it; negative if somebody else was there, or took it for one that
    /// was left behind and has removed it before it was locked, and an error otherwise.
    private static int makeLocked(FileCalls files, Path parent, String name) {
        byte[] path = bytes(parent.resolve(name));
        int made = files.makeFolder(FileCalls.AT_FDCWD, path, OWN);
        if (made < 0 && made != -Errno.EEXIST) {
            throw failed(parent, Errno.text(-made));
        }
        int opened = made < 0 ? made : Removal.open(files, FileCalls.AT_FDCWD, path);
        if (opened >= 0
                && files.lock(opened) != -Errno.EAGAIN
                && files.look(opened) == 0
                && isStill(files, path, files.inode())) {
            return opened;
        }
        files.close(opened);
        return Math.min(opened, -1);
    }

    private static boolean isStill(FileCalls files, byte[] path, long inode) {
        return files.lookAt(path) == 0 && files.inode() == inode;
    }

    private static byte[] bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8);
    }

    /// Whether a session under `policy` gets such a folder: not if it may write nothing.
    static boolean isFor(Policy policy) {
        return isAllowed(policy, new Action.WriteFile(example(policy)));
    }

    /// `policy`, and what it says about this folder.
    Policy grant(Policy policy) {
        var rules = new ArrayList<Rule>();
        rules.add(rule(Capability.write(path()), policy));
        // Whoever listens on a socket in here is of the same session.
        rules.add(rule(Capability.parse("unix:" + path(), policy.scope()), policy));
        if (isAllowed(policy, new Action.StartProgram(example(policy), List.of()))) {
            rules.add(rule(Capability.parse("exec:" + path() + "/**", policy.scope()), policy));
        }
        return policy.plus(rules, path());
    }

    private static Rule rule(Capability capability, Policy policy) {
        return new Rule(
                Effect.ALLOW, capability, capability.text(policy.scope()), Source.of("built-in"));
    }

    private static FilePath example(Policy policy) {
        return policy.scope().base().resolve("writ-scratch/example");
    }

    private static boolean isAllowed(Policy policy, Action action) {
        return policy.decide(action) instanceof Decision.Allow;
    }

    FilePath path() {
        return FilePath.of(parent.resolve(name).toString());
    }

    /// Removes it. What cannot be removed now is left to the next one.
    @Override
    public void close() {
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            Removal.empty(files, lock);
            files.remove(FileCalls.AT_FDCWD, bytes(parent.resolve(name)), FileCalls.AT_REMOVEDIR);
            files.close(lock);
            if (!TIDY.getAndSet(true)) {
                removeLeftBehind(files, Credentials.userId(kernel));
            }
        }
    }

    /// Removes those that nobody holds a lock on any more.
    private void removeLeftBehind(FileCalls files, int user) {
        int folder = files.open(FileCalls.AT_FDCWD, bytes(parent), FileCalls.O_DIRECTORY, 0);
        for (var names = files.names(folder); !names.isEmpty(); names = files.names(folder)) {
            for (var other : names) {
                if (isName(new String(other, StandardCharsets.ISO_8859_1))
                        && isOf(user, files, folder, other)) {
                    removeIfLeft(files, folder, other);
                }
            }
        }
        files.close(folder);
    }

    private static boolean isName(String name) {
        return name.length() == NAME_LENGTH
                && name.startsWith(PREFIX)
                && name.chars().skip(PREFIX.length()).allMatch(c -> Character.digit(c, 16) >= 0);
    }

    private static boolean isOf(int user, FileCalls files, int folder, byte[] name) {
        int handle = files.find(folder, name, false, 0);
        boolean own = handle >= 0 && files.look(handle) == 0 && files.owner() == user;
        files.close(handle);
        return own;
    }

    private static void removeIfLeft(FileCalls files, int folder, byte[] name) {
        int opened = files.open(folder, name, FileCalls.O_DIRECTORY | FileCalls.O_NOFOLLOW, 0);
        if (opened == -Errno.EACCES) {
            opened = Removal.open(files, folder, name); // the agent has closed it
        }
        if (opened >= 0 && files.lock(opened) == 0 && Removal.empty(files, opened)) {
            files.remove(folder, name, FileCalls.AT_REMOVEDIR);
        }
        files.close(opened);
    }
}
