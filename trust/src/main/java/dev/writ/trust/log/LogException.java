// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import dev.writ.core.file.Reason;
import dev.writ.trust.file.HeldException;

/// A log that cannot be written, or that does not verify.
public final class LogException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final long entry;

    LogException(String message) {
        this(message, -1);
    }

    LogException(String message, long entry) {
        super(message);
        this.entry = entry;
    }

    LogException(String message, Throwable cause) {
        super(message + ": " + Reason.of(cause), cause);
        this.entry = -1;
    }

    /// Whether all that is wrong is that somebody has the log open.
    public boolean isOpenElsewhere() {
        return getCause() instanceof HeldException;
    }

    /// The first entry that is wrong, or -1 if it is about no one entry.
    public long entry() {
        return entry;
    }
}
