// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// By when the other side of a connection has to have gone on.
///
/// It is set anew with each request and mostly met, so a timer that runs is left alone: when it is
/// over, it looks how much is left.
final class Deadline {
    private @Nullable Future<?> pending;
    private long over; // when that one is
    private @Nullable Runnable missed; // what is to be done at the end
    private long end;

    /// Closes the connection if it is missed.
    void set(ChannelHandlerContext ctx, Duration longest) {
        set(ctx, longest, ctx::close);
    }

    /// Does `what` if it is missed. One that was set before holds no more.
    void set(ChannelHandlerContext ctx, Duration longest, Runnable what) {
        end = System.nanoTime() + longest.toNanos();
        missed = what;
        if (pending == null || end - over < 0) {
            cancelTimer();
            start(ctx);
        }
    }

    private void start(ChannelHandlerContext ctx) {
        over = end;
        pending =
                ctx.executor()
                        .schedule(() -> look(ctx), end - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private void look(ChannelHandlerContext ctx) {
        pending = null;
        var what = missed;
        if (what == null) {
            return;
        }
        if (end - System.nanoTime() > 0) {
            start(ctx);
        } else {
            missed = null;
            what.run();
        }
    }

    /// It was met; another is set soon.
    void met() {
        missed = null;
    }

    /// It was met, and no other is set soon.
    void cancel() {
        missed = null;
        cancelTimer();
    }

    private void cancelTimer() {
        var old = pending;
        if (old != null) {
            old.cancel(false);
            pending = null;
        }
    }
}
