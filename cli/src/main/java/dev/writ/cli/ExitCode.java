// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

/// What the exit codes of Writ itself mean. `run` otherwise passes on the command's own.
final class ExitCode {
    static final int OK = 0;

    /// `diff` found more rights, `check --strict` warnings, `log verify` something that is wrong,
    /// `status` no daemon.
    static final int DIFFERENT = 1;

    /// Writ could not start: bad flag, bad policy, missing file.
    static final int CANNOT_START = 125;

    static final int DENIED = 126;

    private ExitCode() {}
}
