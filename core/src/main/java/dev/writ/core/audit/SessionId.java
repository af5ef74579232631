// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

/// Names one agent's run.
public record SessionId(String value) {
    public SessionId {
        if (!value.matches("[A-Za-z0-9_-]{1,64}")) {
            throw new IllegalArgumentException("not a session id: `" + value + "`");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
