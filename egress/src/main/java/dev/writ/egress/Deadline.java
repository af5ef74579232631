// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// By when the other side of a connection has to have gone on.
final class Deadline {
    private @Nullable Future<?> pending;

    /// Closes the connection if it is missed.
    void set(ChannelHandlerContext ctx, Duration longest) {
        set(ctx, longest, ctx::close);
    }

    /// Does `missed` if it is missed. One that was set before holds no more.
    void set(ChannelHandlerContext ctx, Duration longest, Runnable missed) {
        cancel();
        pending = ctx.executor().schedule(missed, longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    void cancel() {
        var old = pending;
        if (old != null) {
            old.cancel(false);
            pending = null;
        }
    }
}
