// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import java.util.LinkedHashSet;
import java.util.Set;

/// Who is connected at one door. Strangers have places of their own, and keep nobody else out:
/// where all are taken, the one goes who has been there longest.
final class Places {
    private static final int MOST_STRANGERS = 256;
    private static final int MOST_KNOWN = 1024;

    // Guarded by this.
    private final Set<Wire> strangers = new LinkedHashSet<>();
    private int known;

    synchronized void enter(Wire stranger) {
        if (strangers.size() >= MOST_STRANGERS) {
            var oldest = strangers.iterator().next();
            strangers.remove(oldest);
            oldest.close();
        }
        strangers.add(stranger);
    }

    /// It is no stranger any more.
    ///
    /// @throws HttpException if there is no place for it
    synchronized void know(Wire wire) throws HttpException {
        if (!strangers.contains(wire)) {
            throw new HttpException(503, "too late");
        }
        if (known >= MOST_KNOWN) {
            throw new HttpException(503, "too many connections");
        }
        strangers.remove(wire);
        known++;
    }

    synchronized void leave(Wire wire, boolean wasKnown) {
        strangers.remove(wire);
        if (wasKnown) {
            known--;
        }
    }
}
