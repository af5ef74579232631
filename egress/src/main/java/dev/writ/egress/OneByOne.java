// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/// Gives one message for each time somebody reads, however many came at once. The end of the input
/// is a message, too.
final class OneByOne extends ChannelDuplexHandler {
    /// More than come at once, if they are joined.
    private static final int MOST = 256;

    private static final int JOINED = 8 * 1024;

    private final Deque<Object> waiting = new ArrayDeque<>();
    private boolean joined; // whether the last that waits is of several
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
        if (!isJoined(ctx, message)) {
            joined = false;
            waiting.addLast(message);
        }
        if (waiting.size() > MOST) {
            ctx.close(); // a server that says ever more ahead of its answer
        }
        give(ctx);
    }

    /// Puts a small part of a body to one that waits already: a message for each byte would take a
    /// hundred times the memory of the bytes.
    private boolean isJoined(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof HttpContent part)
                || message instanceof LastHttpContent
                || !(waiting.peekLast() instanceof HttpContent last)
                || last instanceof LastHttpContent
                || last.content().readableBytes() + part.content().readableBytes() > JOINED) {
            return false;
        }
        if (!joined) {
            joined = true;
            var both = new DefaultHttpContent(ctx.alloc().buffer(JOINED, JOINED));
            both.content().writeBytes(last.content());
            last.release();
            waiting.removeLast();
            waiting.addLast(both);
            last = both;
        }
        last.content().writeBytes(part.content());
        part.release();
        return true;
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
