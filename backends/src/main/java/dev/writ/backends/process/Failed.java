// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

/// A call of a confined process ends with this error number.
final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int errno;

    Failed(int errno) {
        super("errno " + errno, null, false, false);
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
