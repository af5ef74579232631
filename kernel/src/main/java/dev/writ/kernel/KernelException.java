// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

/// The kernel refused a call that was needed.
public final class KernelException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String call;
    private final int errno;

    public KernelException(String call, int errno) {
        super(call + " failed: " + Errno.text(errno));
        this.call = call;
        this.errno = errno;
    }

    public String call() {
        return call;
    }

    public int errno() {
        return errno;
    }
}
