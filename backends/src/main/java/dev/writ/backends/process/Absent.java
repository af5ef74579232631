// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

/// What there is not in a sandbox, whatever the policy says. The error alone does not tell what to
/// do instead, so that is said to the first who tries.
enum Absent {
    TRACING(
            "ptrace",
            "Writ traces every program of a run, and two cannot; use strace and debuggers outside,"
                    + " and for AddressSanitizer set `ASAN_OPTIONS=detect_leaks=0`"),
    UNIX_DATAGRAMS(
            "a unix socket for datagrams",
            "it could send to any other of this machine; use SOCK_STREAM, SOCK_SEQPACKET or a"
                    + " socketpair"),
    ABSTRACT_NAMES(
            "a unix socket whose name is no path",
            "all programs of this machine share such names; use a path, in $TMPDIR for example");

    private final String line;

    Absent(String what, String why) {
        this.line = "writ: denied: " + what + ": " + why + "\n";
    }

    /// Says so to `task`, once in a run.
    void say(Worker worker, Tree tree, int task) {
        if (tree.missed.add(this)) {
            Errors.say(worker.kernel, worker.files, task, line);
        }
    }
}
