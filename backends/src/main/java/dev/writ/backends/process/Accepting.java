// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Action;

/// What it takes to listen on a port. Many look for a free one, let it go, and tell somebody else
/// to listen there: what the kernel has picked for a session is as good as port 0, unless a rule
/// speaks of it.
record Accepting(Judge judge, Tree tree) {
    Action action(Endpoint at) {
        var there = new Action.AcceptConnections(at.ip(), at.port());
        return tree.sockets.ports.isPicked(at.port(), tree.session) && judge.isUnmatched(there)
                ? new Action.AcceptConnections(at.ip(), 0)
                : there;
    }

    boolean isPossible(Endpoint at) {
        return judge.isPossible(action(at));
    }
}
