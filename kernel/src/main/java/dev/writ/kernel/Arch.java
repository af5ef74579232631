// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

/// A processor architecture, as far as system calls differ by it. Both are little endian.
public enum Arch {
    X86_64(0xC000003E),
    AARCH64(0xC00000B7);

    private final int audit;

    Arch(int audit) {
        this.audit = audit;
    }

    /// How seccomp names it: `AUDIT_ARCH_*` of `<linux/audit.h>`.
    public int audit() {
        return audit;
    }

    /// The architecture of this machine.
    ///
    /// @throws UnsupportedOperationException if it is neither of the two
    public static Arch here() {
        return named(System.getProperty("os.arch", "unknown"));
    }

    static Arch named(String name) {
        return switch (name) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> AARCH64;
            default ->
                    throw new UnsupportedOperationException(
                            "system calls are known for 64-bit x86 and Arm only (a 64-bit JDK on"
                                    + " amd64 or aarch64 is needed): `"
                                    + name
                                    + "`");
        };
    }
}
