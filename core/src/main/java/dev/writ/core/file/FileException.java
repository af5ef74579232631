// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.file;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import java.util.Optional;

/// Something was not done to a file, and why.
public final class FileException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// What sort of failure it is.
    public enum Kind {
        /// By the policy, the operator or the system.
        REFUSED,
        MISSING,
        EXISTS,
        IS_FOLDER,
        NO_FOLDER,
        NOT_EMPTY,
        /// A pipe, a socket, a device.
        SPECIAL,
        /// It is not what it was to be any more.
        CHANGED,
        /// The text that was to be replaced is not there once.
        NO_MATCH,
        /// The path or the question has no meaning.
        INVALID,
        /// There is more of it than is dealt with.
        TOO_MUCH,
        /// A limit of the policy is reached, or the disk is full.
        NO_ROOM,
        FAILED
    }

    /// What the broker has refused.
    public record Refusal(Action action, Reason reason) {}

    private final Kind kind;
    private final transient Optional<Refusal> refusal;

    public FileException(Kind kind, String message) {
        this(kind, message, Optional.empty());
    }

    public FileException(Kind kind, String message, Optional<Refusal> refusal) {
        super(message);
        this.kind = kind;
        this.refusal = refusal;
    }

    public Kind kind() {
        return kind;
    }

    /// What was refused; empty if that was not the broker.
    public Optional<Refusal> refusal() {
        return refusal;
    }
}
