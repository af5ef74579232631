// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.json;

/// Something is not JSON, or not the JSON it should be. The message says what and where.
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JsonException(String message) {
        super(message);
    }
}
