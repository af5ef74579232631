// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.backends.process.Plan.KernelRule;
import dev.writ.backends.process.Plan.Right;
import dev.writ.core.capability.FilePath;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Landlock;
import java.util.Set;

/// A plan as the kernel takes it: a Landlock ruleset.
final class Confinement {

    /// Everything that changes files or folders: to write, remove, make, move and truncate. Devices
    /// cannot be made. Sockets are made by the supervisor, and moved by nobody: by their names they
    /// are known.
    private static final long CHANGE =
            Landlock.rights(5)
                    & ~(Landlock.EXECUTE
                            | Landlock.READ_FILE
                            | Landlock.READ_DIR
                            | Landlock.MAKE_CHAR
                            | Landlock.MAKE_SOCK
                            | Landlock.MAKE_BLOCK
                            | Landlock.IOCTL_DEV);

    private Confinement() {}

    /// A ruleset that grants what `plan` leaves to the kernel, and nothing else.
    static int ruleset(Kernel kernel, Plan plan, int abi) {
        var files = new FileCalls(kernel);
        int ruleset = Landlock.create(kernel, abi);
        for (var rule : plan.kernelRules()) {
            add(kernel, files, ruleset, rule, abi);
        }
        return ruleset;
    }

    /// Lets a program use the terminal that it is given.
    static void allowTerminal(Kernel kernel, int ruleset, String terminal, int abi) {
        if (!terminal.isEmpty()) {
            var rights = Set.of(Right.READ, Right.WRITE, Right.DEVICE);
            add(
                    kernel,
                    new FileCalls(kernel),
                    ruleset,
                    new KernelRule(FilePath.of(terminal), rights),
                    abi);
        }
    }

    private static void add(Kernel kernel, FileCalls files, int ruleset, KernelRule rule, int abi) {
        // Rules name what links lead to as well, so a link is not followed here; but what starts
        // programs belongs to the system, links and all.
        int handle =
                files.find(
                        FileCalls.AT_FDCWD,
                        Walker.bytes(rule.path().toString()),
                        true,
                        Planner.isLoader(rule.path()) ? 0 : FileCalls.RESOLVE_NO_SYMLINKS);
        if (handle < 0) {
            return; // gone since the plan was made, or a link: nothing is granted
        }
        try {
            boolean folder = files.look(handle) == 0 && (files.mode() & S_IFMT) == S_IFDIR;
            long rights = rights(rule.rights()) & Landlock.rights(abi);
            Landlock.allow(kernel, ruleset, handle, rights, folder);
        } finally {
            files.close(handle);
        }
    }

    private static long rights(Set<Right> rights) {
        long all = 0;
        for (var right : rights) {
            all |=
                    switch (right) {
                        case READ -> Landlock.READ_FILE | Landlock.READ_DIR;
                        case WRITE -> CHANGE;
                        case EXECUTE -> Landlock.EXECUTE;
                        case DEVICE -> Landlock.IOCTL_DEV;
                    };
        }
        return all;
    }
}
