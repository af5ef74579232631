// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.core.file.Reason;

/// The record of a session cannot be kept.
public final class RecordException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RecordException(String message, Throwable cause) {
        super(
                message + ": " + Reason.of(cause) + "; `WRIT_HOME` says where the record is kept",
                cause);
    }
}
