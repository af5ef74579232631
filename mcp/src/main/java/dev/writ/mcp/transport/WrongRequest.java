// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import java.io.Serial;

/// A request of HTTP that cannot be answered as it was meant.
final class WrongRequest extends Exception {
    @Serial private static final long serialVersionUID = 1;

    private final int status;
    private final transient byte[] body;

    WrongRequest(int status, String why) {
        this(status, Json.error(null, -32000, why));
    }

    WrongRequest(int status, byte[] body) {
        super("status " + status);
        this.status = status;
        this.body = body;
    }

    int status() {
        return status;
    }

    byte[] body() {
        return body;
    }
}
