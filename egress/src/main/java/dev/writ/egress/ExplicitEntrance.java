// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Tells SOCKS from HTTP, by the first byte.
final class ExplicitEntrance extends ChannelInboundHandlerAdapter {
    private final Service service;
    private final String token;
    private @Nullable Future<?> limit;

    ExplicitEntrance(Service service, String token) {
        this.service = service;
        this.token = token;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        limit =
                ctx.executor()
                        .schedule(
                                () -> ctx.close(),
                                service.bounds().firstBytes().toMillis(),
                                TimeUnit.MILLISECONDS);
        ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        var bytes = (ByteBuf) message;
        if (!bytes.isReadable()) {
            bytes.release();
            ctx.read();
            return;
        }
        if (bytes.getByte(bytes.readerIndex()) == Socks.VERSION) {
            ctx.pipeline().addLast(new Socks(service, token));
        } else {
            Requests.install(ctx.channel(), service, Entry.explicit(token));
        }
        ctx.fireChannelRead(bytes);
        ctx.fireChannelReadComplete();
        ctx.pipeline().remove(this);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        var old = limit;
        if (old != null) {
            old.cancel(false);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
