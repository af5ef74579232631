// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

/// A request that cannot be understood or is not let in. After the answer the connection ends:
/// where the next request begins is not known.
public final class HttpException extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;

    public HttpException(int status, String message) {
        super(message);
        this.status = status;
    }

    public int status() {
        return status;
    }
}
