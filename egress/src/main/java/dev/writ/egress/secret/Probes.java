// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Where pieces of answers have ended in the middle of what begins like a secret. Such an end is
/// kept back, which shows in where the answer goes on. So who has a server send back texts of its
/// own could find out a secret byte by byte: each right guess leaves another place here, and there
/// are never many by chance. May be used from several threads.
final class Probes {
    private static final int MOST = 8;

    /// So many bytes are like the beginning of a secret by chance.
    private static final int FEW = 5;

    private final Set<Integer> places = ConcurrentHashMap.newKeySet();
    private volatile boolean tooMany;

    /// A piece has ended at `state`.
    ///
    /// @param bytes how many of its last bytes are like the beginning of a secret
    /// @return whether that is a new place
    boolean add(int state, int bytes) {
        boolean isNew = bytes > FEW && places.add(state);
        if (isNew && places.size() > MOST) {
            tooMany = true;
        }
        return isNew;
    }

    /// It was a secret at these, and the rest has come.
    void remove(Collection<Integer> states) {
        places.removeAll(states);
    }

    /// Whether somebody is finding out a secret. There is no way back.
    boolean areTooMany() {
        return tooMany;
    }
}
