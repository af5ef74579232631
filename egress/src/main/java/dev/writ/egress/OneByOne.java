// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/// Gives one message for each time somebody reads, however many came at once. The end of the input
/// is a message, too.
final class OneByOne extends ChannelDuplexHandler {
    private final Deque<Object> waiting = new ArrayDeque<>();
    private boolean wanted;
    private boolean giving;
    private boolean coming; // more of what was read at once

    /// Whether nothing waits to be read.
    boolean isEmpty() {
        return waiting.isEmpty();
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        wanted = true;
        give(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        coming = true;
        waiting.addLast(message);
        give(ctx);
    }

    /// Whoever writes on what it is given does so once for all of it.
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        coming = false;
        ctx.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            waiting.addLast(Mark.END);
            give(ctx);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    private void give(ChannelHandlerContext ctx) {
        if (giving) {
            return; // Whoever gives sees to it.
        }
        giving = true;
        boolean given = false;
        while (wanted && !waiting.isEmpty()) {
            wanted = false;
            given = true;
            ctx.fireChannelRead(waiting.removeFirst());
        }
        giving = false;
        if (given && !coming) {
            ctx.fireChannelReadComplete();
        }
        if (wanted && !ctx.isRemoved()) {
            ctx.read();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        while (!waiting.isEmpty()) {
            var message = waiting.removeFirst();
            if (message != Mark.END) {
                ctx.fireChannelRead(message);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        ctx.fireChannelInactive();
    }
}
