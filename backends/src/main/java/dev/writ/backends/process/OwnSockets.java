// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The socket files that sandboxes have made, each for as long as its sandbox lives.
///
/// In the folder that a session has to itself everybody may connect to everything, whoever made it:
/// a folder with a socket of the host in it could be moved there. So what counts there is not the
/// name but who made the socket. The kernel lets no confined process move a socket file, so what
/// has just been made in a folder is what is found there by its name.
final class OwnSockets {
    /// Enough for anybody, and little enough to keep.
    private static final int MOST = 10_000;

    private final Map<Identity, Tree> makers = new ConcurrentHashMap<>();

    /// A file, even if its number is used again after it.
    private record Identity(long device, long inode, long born) {
        static Identity of(FileCalls files) {
            return new Identity(files.device(), files.inode(), files.born());
        }
    }

    boolean isFull() {
        return makers.size() >= MOST;
    }

    /// A process of `maker` has made the file that `files` has just looked at.
    void add(FileCalls files, Tree maker) {
        makers.put(Identity.of(files), maker);
    }

    /// Whether some sandbox has made the file that `files` has just looked at.
    boolean contains(FileCalls files) {
        return makers.containsKey(Identity.of(files));
    }

    /// All of `tree` have ended, and nobody listens any more on what they have made.
    void forget(Tree tree) {
        makers.values().removeIf(tree::equals);
    }
}
