// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.audit.SessionId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/// The sockets with which sandboxes listen on TCP ports, each for as long as its sandbox lives.
final class OwnPorts {
    private static final int MOST = 256; // of one sandbox: the latest

    private final Map<Tree, Map<Long, Listener>> made = new HashMap<>();

    /// The ports that the kernel has picked for each, in that order.
    private final Map<Tree, LinkedHashSet<Integer>> picked = new HashMap<>();

    /// A socket that `maker` has listened with, and may have closed since.
    ///
    /// @param cookie the number that it has for good
    /// @param process who had it last, as `descriptor`
    record Listener(Tree maker, int port, long cookie, int process, int descriptor) {
        Listener heldBy(int otherProcess, int otherDescriptor) {
            return new Listener(maker, port, cookie, otherProcess, otherDescriptor);
        }
    }

    synchronized void put(Listener listener) {
        var own = made.computeIfAbsent(listener.maker, _ -> new LinkedHashMap<>());
        if (own.size() >= MOST && !own.containsKey(listener.cookie)) {
            own.remove(own.keySet().iterator().next());
        }
        own.put(listener.cookie, listener);
    }

    synchronized List<Listener> at(int port, SessionId session) {
        return made.values().stream()
                .flatMap(own -> own.values().stream())
                .filter(l -> l.port == port && l.maker.session.equals(session))
                .toList();
    }

    synchronized boolean contains(long cookie, SessionId session) {
        return made.entrySet().stream()
                .anyMatch(
                        entry ->
                                entry.getKey().session.equals(session)
                                        && entry.getValue().containsKey(cookie));
    }

    /// The kernel has picked `port` for `tree`.
    synchronized void pick(Tree tree, int port) {
        var own = picked.computeIfAbsent(tree, _ -> new LinkedHashSet<>());
        own.remove(port);
        if (own.size() >= MOST) {
            own.removeFirst();
        }
        own.add(port);
    }

    /// Whether the kernel has picked `port` for `session`.
    synchronized boolean isPicked(int port, SessionId session) {
        return picked.entrySet().stream()
                .anyMatch(
                        entry ->
                                entry.getKey().session.equals(session)
                                        && entry.getValue().contains(port));
    }

    synchronized void forget(Tree tree) {
        picked.remove(tree);
        made.remove(tree);
    }
}
