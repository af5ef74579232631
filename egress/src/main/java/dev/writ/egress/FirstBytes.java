// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scheme;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Tells requests in the clear from requests in TLS, where each of them is judged.
final class FirstBytes extends ChannelInboundHandlerAdapter {
    private final Service service;
    private final Destination to;
    private @Nullable Future<?> limit;

    FirstBytes(Service service, Destination to) {
        this.service = service;
        this.to = to;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        limit =
                ctx.executor()
                        .schedule(
                                () -> ctx.close(),
                                service.bounds().firstBytes().toMillis(),
                                TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        var bytes = (ByteBuf) message;
        if (!bytes.isReadable()) {
            bytes.release();
            ctx.read();
        } else if (bytes.getUnsignedByte(bytes.readerIndex()) != ClientHello.HANDSHAKE) {
            Requests.install(ctx.channel(), service, Entry.to(to, Scheme.HTTP));
            hand(ctx, bytes);
        } else if (service.inspection().isPresent()) {
            var client = ctx.channel();
            client.pipeline()
                    .addLast(
                            new HelloReader(
                                    service, to, () -> Inspected.begin(service, client, to)));
            hand(ctx, bytes);
        } else {
            bytes.release();
            service.gate()
                    .refused(
                            new Action.Connect(Scheme.TCP, to.host(), to.port()),
                            new Reason(
                                    Refusals.NOT_INSPECTED,
                                    "requests to "
                                            + to
                                            + " are judged one by one, and no rule permits any in TLS",
                                    "use http://, or allow https:// requests"));
            ctx.close();
        }
    }

    private void hand(ChannelHandlerContext ctx, ByteBuf bytes) {
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
