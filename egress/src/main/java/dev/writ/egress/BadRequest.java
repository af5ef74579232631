// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Text;

/// What was said is not allowed by the protocol, or has no one meaning. Says what is wrong with it.
final class BadRequest extends RuntimeException {
    private static final long serialVersionUID = 1;

    BadRequest(String message) {
        // Whoever sends such a thing can send many, so this has to be cheap.
        super(message, null, false, false);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /// What somebody sent, in a message.
    static String shown(String text) {
        String start = text.length() > 100 ? text.substring(0, 100) + "..." : text;
        return "`" + Text.shown(start) + "`";
    }
}
