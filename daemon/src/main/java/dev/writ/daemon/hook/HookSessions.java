// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Canonical;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.Config;
import dev.writ.runtime.Counsel;
import dev.writ.runtime.FolderPolicy;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.SessionRecord;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// The sessions of agents that ask by a hook, each with its record. A session belongs to the folder
/// in which it was first seen: an agent that goes elsewhere takes no other policy with it.
public final class HookSessions implements AutoCloseable {
    private static final int MOST = 500;
    private static final int MOST_REMEMBERED = 100_000;
    private static final long IDLE = Duration.ofMinutes(30).toNanos();

    private final Config config;
    private final Installation installation;
    private final Supplier<String> version;

    /// The one that was used last comes last. Guarded by this.
    private final Map<String, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);

    /// Where each was first seen, also while none of it is kept. Guarded by this.
    private final Map<String, FilePath> workspaces =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, FilePath> eldest) {
                    return size() > MOST_REMEMBERED;
                }
            };

    /// @param digest of the policy, to see that the operator has changed it
    record Kept(
            FilePath workspace,
            Policy policy,
            String digest,
            Counsel counsel,
            SessionRecord record,
            long used) {
        private Kept usedAt(long now, FolderPolicy found) {
            return new Kept(workspace, found.policy(), digest, counsel, record, now);
        }

        private void close() {
            try (record) {
                counsel.close();
            }
        }
    }

    public HookSessions(Config config, Installation installation, Supplier<String> version) {
        this.config = config;
        this.installation = installation;
        this.version = version;
    }

    /// The session that `call` belongs to, under the policy that its folder has now.
    ///
    /// @throws dev.writ.runtime.policy.InvalidPolicyException if that cannot be used
    Kept of(ToolCall call) {
        String key =
                call.agent().word()
                        + "\n"
                        + (call.session().isEmpty() ? call.folder() : "\n" + call.session());
        var workspace = workspace(key, call.folder());
        // Many may ask at once, and this takes the longest.
        var found = FolderPolicy.of(config, workspace);
        return enter(key, call, new Seen(workspace, found, Canonical.digest(found.policy())));
    }

    /// The policy of a folder, as it is at this moment.
    private record Seen(FilePath workspace, FolderPolicy found, String digest) {}

    private synchronized FilePath workspace(String key, FilePath folder) {
        return workspaces.computeIfAbsent(key, _ -> folder);
    }

    private synchronized Kept enter(String key, ToolCall call, Seen seen) {
        long now = System.nanoTime();
        var known = kept.get(key);
        if (known != null && !known.digest().equals(seen.digest())) {
            kept.remove(key);
            known.close();
            known = null;
        }
        removeIdle(now);
        var entered = known == null ? open(call, seen, now) : known.usedAt(now, seen.found());
        kept.put(key, entered);
        return entered;
    }

    private Kept open(ToolCall call, Seen seen, long now) {
        var id = SessionNames.next();
        var record = new SessionRecord(installation, id, version);
        var policy = seen.found().policy();
        var counsel =
                Counsel.open(
                        policy,
                        id,
                        seen.found().source(),
                        seen.workspace(),
                        List.of("writ", "hook", call.agent().word()),
                        record);
        return new Kept(seen.workspace(), policy, seen.digest(), counsel, record, now);
    }

    private void removeIdle(long now) {
        var each = kept.values().iterator();
        while (each.hasNext()) {
            var eldest = each.next();
            if (kept.size() < MOST && now - eldest.used() < IDLE) {
                return;
            }
            each.remove();
            eldest.close();
        }
    }

    /// Signs their records.
    @Override
    public synchronized void close() {
        kept.values().forEach(Kept::close);
        kept.clear();
    }
}
