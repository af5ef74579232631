// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

/// The kernel refused a call that was needed.
public final class KernelException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int errno;

    public KernelException(String call, int errno) {
        super(call + " failed: " + Errno.text(errno));
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }
}
