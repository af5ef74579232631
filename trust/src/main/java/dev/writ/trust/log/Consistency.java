// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import dev.writ.trust.key.VerifyingKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

/// That a log only ever grew: what was signed earlier is the beginning of what is signed now.
public final class Consistency {
    private Consistency() {}

    /// Compares a log with a checkpoint that was kept somewhere else. This finds an older copy that
    /// was put back, which is in order by itself.
    ///
    /// @return the log's checkpoint of now
    /// @throws LogException if the log does not begin with what was signed then
    public static Checkpoint check(
            Path log, Checkpoint anchored, Collection<VerifyingKey> trusted) {
        var now = LogVerifier.checkpoint(log, trusted);
        if (!now.origin().equals(anchored.origin())) {
            throw new LogException(
                    "the anchor is of `" + anchored.origin() + "`, the log `" + now.origin() + "`");
        }
        if (now.size() < anchored.size()) {
            throw new LogException(
                    "the log has "
                            + now.size()
                            + " entries, but had "
                            + anchored.size()
                            + " when it was anchored: it was cut, or an older copy put back",
                    now.size());
        }
        if (!proves(anchored, now, proof(log, anchored.size(), now.size()))) {
            throw new LogException(
                    "the log is another one: its first "
                            + anchored.size()
                            + " entries are not those that were anchored");
        }
        return now;
    }

    /// The hashes, in base64, that show it to somebody who has the two checkpoints only.
    public static List<String> proof(Path log, long old, long size) {
        if (old < 0 || old > size) {
            throw new LogException("a log of " + size + " entries never had " + old);
        }
        try {
            return new Subtrees(log)
                    .consistency(old, size).stream().map(Checkpoint::encode).toList();
        } catch (IOException e) {
            throw new LogException("the log `" + log + "` cannot be read", e);
        }
    }

    /// Whether the hashes show that `later` begins with `earlier`, of which the signatures have
    /// been checked.
    public static boolean proves(Checkpoint earlier, Checkpoint later, List<String> hashes) {
        if (earlier.size() == 0) {
            return hashes.isEmpty() && earlier.hasRoot(new Hasher().empty());
        }
        if (earlier.size() == later.size()) {
            return hashes.isEmpty() && earlier.root().equals(later.root());
        }
        if (earlier.size() > later.size()) {
            return false;
        }
        var hasher = new Hasher();
        var path = hashes.stream().map(Base64.getDecoder()::decode).iterator();
        long node = earlier.size() - 1;
        long last = later.size() - 1;
        while ((node & 1) == 1) {
            node >>= 1;
            last >>= 1;
        }
        if (node > 0 && !path.hasNext()) {
            return false;
        }
        byte[] old = node > 0 ? path.next() : Base64.getDecoder().decode(earlier.root());
        byte[] fresh = old;
        while (path.hasNext()) {
            byte[] hash = path.next();
            if (last == 0) {
                return false;
            }
            if ((node & 1) == 1 || node == last) {
                old = hasher.node(hash, old);
                fresh = hasher.node(hash, fresh);
                while ((node & 1) == 0 && node != 0) {
                    node >>= 1;
                    last >>= 1;
                }
            } else {
                fresh = hasher.node(fresh, hash);
            }
            node >>= 1;
            last >>= 1;
        }
        return last == 0 && earlier.hasRoot(old) && later.hasRoot(fresh);
    }
}
