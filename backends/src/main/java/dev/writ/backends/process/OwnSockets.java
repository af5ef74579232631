// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The socket files that sandboxes have made, each for as long as its sandbox lives.
///
/// In the folder that a session has to itself everybody may connect to everything, whoever made it:
/// a folder with a socket of the host in it could be moved there. So what counts there is not the
/// name but who made the socket. The kernel lets no confined process move a socket file, so what
/// has just been made in a folder is what is found there by its name.
final class OwnSockets {
    /// Of one sandbox: enough for anybody, and little enough to keep.
    private static final int MOST = 10_000;

    private final Map<Tree, Set<Identity>> made = new ConcurrentHashMap<>();

    /// A file, even if its number is used again after it.
    private record Identity(long device, long inode, long born) {
        static Identity of(FileCalls files) {
            return new Identity(files.device(), files.inode(), files.born());
        }
    }

    /// A process of `maker` has made the file that `files` has just looked at. Who makes too many
    /// can connect to none of the rest.
    void add(FileCalls files, Tree maker) {
        var sockets = made.computeIfAbsent(maker, _ -> ConcurrentHashMap.newKeySet());
        if (sockets.size() < MOST) {
            sockets.add(Identity.of(files));
        }
    }

    /// Whether some sandbox has made the file that `files` has just looked at.
    boolean contains(FileCalls files) {
        var identity = Identity.of(files);
        return made.values().stream().anyMatch(sockets -> sockets.contains(identity));
    }

    /// All of `tree` have ended, and nobody listens any more on what they have made.
    void forget(Tree tree) {
        made.remove(tree);
    }
}
