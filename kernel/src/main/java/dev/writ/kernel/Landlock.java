// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/// landlock(7): lets a thread give up access that it does not need.
public final class Landlock {
    public static final long EXECUTE = 1;
    public static final long WRITE_FILE = 1 << 1;
    public static final long READ_FILE = 1 << 2;
    public static final long READ_DIR = 1 << 3;
    public static final long MAKE_CHAR = 1 << 6;
    public static final long MAKE_SOCK = 1 << 9;
    public static final long MAKE_BLOCK = 1 << 11;
    private static final long TRUNCATE = 1 << 14;
    public static final long IOCTL_DEV = 1 << 15;

    /// What can be granted on a file that is no folder.
    private static final long ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

    private static final long TCP = 3; // bind and connect
    private static final long SCOPES = 3; // abstract unix sockets and signals
    private static final int LANDLOCK_CREATE_RULESET_VERSION = 1;
    private static final int LANDLOCK_RULE_PATH_BENEATH = 1;

    private Landlock() {}

    /// The version of the interface that this kernel offers, found by asking it; 0 if there is
    /// none.
    public static int abi() {
        try (var kernel = new Kernel()) {
            return abi(kernel);
        }
    }

    public static int abi(Kernel kernel) {
        long version =
                kernel.call(
                        Call.LANDLOCK_CREATE_RULESET.number(),
                        0,
                        0,
                        LANDLOCK_CREATE_RULESET_VERSION);
        return (int) Math.max(version, 0);
    }

    /// Every file system right that version `abi` knows.
    public static long rights(int abi) {
        return (1L << (abi >= 5 ? 16 : abi >= 3 ? 15 : abi == 2 ? 14 : 13)) - 1;
    }

    /// A ruleset that takes everything away which version `abi` can take: all rights on files, TCP,
    /// and signals and abstract sockets of outsiders. Gives its descriptor.
    public static int create(Kernel kernel, int abi) {
        // struct landlock_ruleset_attr { u64 handled_access_fs, handled_access_net, scoped; }
        var attributes = kernel.memory(24);
        attributes.set(JAVA_LONG, 0, rights(abi));
        attributes.set(JAVA_LONG, 8, TCP);
        attributes.set(JAVA_LONG, 16, SCOPES);
        long size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
        return (int)
                Kernel.check(
                        "landlock_create_ruleset",
                        kernel.call(
                                Call.LANDLOCK_CREATE_RULESET.number(),
                                attributes.address(),
                                size,
                                0));
    }

    /// Grants `rights` on the object that `descriptor` refers to, and on what lies below.
    public static void allow(
            Kernel kernel, int ruleset, int descriptor, long rights, boolean folder) {
        // struct landlock_path_beneath_attr { u64 allowed_access; s32 parent_fd; } packed
        var rule = kernel.memory(16);
        rule.set(JAVA_LONG, 0, folder ? rights : rights & ON_FILES);
        rule.set(JAVA_INT, 8, descriptor);
        Kernel.check(
                "landlock_add_rule",
                kernel.call(
                        Call.LANDLOCK_ADD_RULE.number(),
                        ruleset,
                        LANDLOCK_RULE_PATH_BENEATH,
                        rule.address(),
                        0));
    }

    /// Restricts the calling thread for good; a failure comes back negated.
    static long restrict(Kernel kernel, int ruleset) {
        return kernel.call(Call.LANDLOCK_RESTRICT_SELF.number(), ruleset, 0);
    }
}
