// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import io.modelcontextprotocol.common.McpTransportContext;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/// A request that has not been answered yet, and that whoever sent it may not want any more.
public final class Ongoing {
    private static final String KEY = "writ.ongoing";

    // Both guarded by this.
    private boolean cancelled;
    private @Nullable Runnable end;

    public Ongoing() {}

    /// The one that is being answered; empty if it came on another way than ours.
    public static Optional<Ongoing> of(McpTransportContext context) {
        return Optional.ofNullable((Ongoing) context.get(KEY));
    }

    /// Lets whoever answers find it.
    Context in(Context context) {
        return context.put(McpTransportContext.KEY, McpTransportContext.create(Map.of(KEY, this)));
    }

    /// Does `end` when nobody wants the answer any more, at once if that is so already.
    public void whenCancelled(Runnable end) {
        synchronized (this) {
            if (!cancelled) {
                this.end = end;
                return;
            }
        }
        end.run();
    }

    public synchronized boolean isCancelled() {
        return cancelled;
    }

    void cancel() {
        Runnable known;
        synchronized (this) {
            cancelled = true;
            known = end;
            end = null;
        }
        if (known != null) {
            known.run();
        }
    }
}
