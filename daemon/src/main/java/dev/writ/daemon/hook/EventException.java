// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

/// What an agent sent is not understood, so it is refused.
final class EventException extends RuntimeException {
    private static final long serialVersionUID = 1;

    EventException(String message) {
        super(message);
    }
}
