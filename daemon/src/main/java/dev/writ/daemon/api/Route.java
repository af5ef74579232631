// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// One thing that can be done with one sort of path.
///
/// @param path with names in braces, as the contract has it
public record Route(String method, String path, Action action) {
    /// Answers a call.
    interface Action {
        void answer(Call call) throws IOException;
    }

    static Route get(String path, Action action) {
        return new Route("GET", path, action);
    }

    static Route post(String path, Action action) {
        return new Route("POST", path, action);
    }

    static Route put(String path, Action action) {
        return new Route("PUT", path, action);
    }

    static Route delete(String path, Action action) {
        return new Route("DELETE", path, action);
    }

    /// What `path` has where this has names; empty if it is another sort of path.
    Optional<Map<String, String>> match(String given) {
        var mine = path.split("/", -1);
        var theirs = given.split("/", -1);
        if (mine.length != theirs.length) {
            return Optional.empty();
        }
        var parts = new HashMap<String, String>();
        for (int i = 0; i < mine.length; i++) {
            if (mine[i].startsWith("{")) {
                parts.put(mine[i].substring(1, mine[i].length() - 1), theirs[i]);
            } else if (!mine[i].equals(theirs[i])) {
                return Optional.empty();
            }
        }
        return Optional.of(parts);
    }
}
