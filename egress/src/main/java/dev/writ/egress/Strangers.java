// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Set;

/// Connections to the port that programs are told of, until the token is shown: anybody on the
/// machine can open some. They take nothing of what the session may have, and keep nobody out:
/// where all their places are taken, the oldest goes.
final class Strangers {
    private static final int MOST = 128;

    private final Usage usage;
    private final Set<Channel> all = new LinkedHashSet<>(); // guarded by this

    Strangers(Usage usage) {
        this.usage = usage;
    }

    void enter(Channel channel) {
        Channel oldest = null;
        synchronized (this) {
            if (all.size() >= MOST) {
                oldest = all.iterator().next();
                all.remove(oldest);
            }
            all.add(channel);
        }
        channel.closeFuture().addListener(_ -> remove(channel));
        if (oldest != null) {
            oldest.close();
        }
    }

    private synchronized boolean remove(Channel channel) {
        return all.remove(channel);
    }

    /// Whether `channel`, which has shown the token, may stay: from now on it counts.
    boolean know(Channel channel) {
        if (!remove(channel)) {
            return true; // it is known already
        }
        if (!usage.connect()) {
            return false;
        }
        channel.closeFuture().addListener(_ -> usage.disconnect());
        return true;
    }
}
