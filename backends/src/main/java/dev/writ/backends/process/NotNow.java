// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

/// A call cannot be answered at once: the operator has to be asked, or the kernel waits for
/// somebody else. Nothing has been done yet; a thread that may wait starts again from the
/// beginning.
final class NotNow extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotNow() {
        super("not now", null, false, false);
    }
}
