// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

/// What a case wants around it, beyond the folders and the secrets that every case gets.
public enum Need {
    /// The launcher holds descriptors 7 (folder), 8 (file) and 9 (connected socket) open.
    LEAK,
    /// The launcher is started on a terminal of its own.
    PTY,
    /// A secret file appears a while after the start.
    LATE,
    /// The host takes over an archive that the probe made.
    HANDOFF,
    /// Standard input stays open and silent.
    STDIN,
    /// The launcher is expected to keep a time limit.
    DEADLINE,
    /// The host tries to connect to a port of the probe.
    INBOUND,
    /// A canary process of the same user.
    PROCESS,
    /// Canary listeners on loopback.
    LISTENERS,
    /// Canary sockets of the Unix family.
    SOCKETS,
    /// Canary objects whose names are shared by the whole machine, one user of them at a time.
    SHARED_NAMES,
    /// The rules of the group without those about the network.
    NO_NET_RULES,
    /// A PID namespace other than the host's.
    PRIVATE_PIDS,
    /// What it prints may be the operator's own; reports keep only lines with a canary in them.
    PRIVATE_OUTPUT,
    /// Escapes without a sandbox only when root runs it.
    ROOT,
    /// Has system call numbers of that architecture in it.
    X86_64;

    /// Whether the host side is a Python program.
    public boolean isPlayedByPython() {
        return switch (this) {
            case LEAK, PTY, HANDOFF, PROCESS, SOCKETS, SHARED_NAMES -> true;
            case LATE,
                    STDIN,
                    DEADLINE,
                    INBOUND,
                    LISTENERS,
                    NO_NET_RULES,
                    PRIVATE_PIDS,
                    PRIVATE_OUTPUT,
                    ROOT,
                    X86_64 ->
                    false;
        };
    }
}
