// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/// Whatever bytes, in both directions, as fast as the slower side takes them. Both sides are moved
/// by one thread.
final class Tunnel {
    private static final int SMALLEST = 1024;
    private static final int FIRST = 16 * 1024;
    private static final int LARGEST = 256 * 1024;

    private final Service service;
    private final Usage.Account account;
    private final Ending ending;
    private final long began = System.nanoTime();
    private long up;
    private long down;
    private int open = 2;

    /// Hears how much went through.
    interface Ending {
        void ended(long up, long down, long nanos);
    }

    private Tunnel(Service service, Destination to, Ending ending) {
        this.service = service;
        this.account = service.usage().account(to);
        this.ending = ending;
    }

    /// Large pieces where much is sent, small ones where little is.
    static RecvByteBufAllocator buffers() {
        return new AdaptiveRecvByteBufAllocator(SMALLEST, FIRST, LARGEST);
    }

    /// Joins `client` and `server`, whose pipelines have nothing left to say about the bytes.
    /// Whoever calls reads from the client next.
    static void join(
            Service service, Destination to, Channel client, Channel server, Ending ending) {
        var tunnel = new Tunnel(service, to, ending);
        client.pipeline().addLast(tunnel.idle(), tunnel.new Side(server, true));
        server.pipeline().addLast(tunnel.idle(), tunnel.new Side(client, false));
        client.closeFuture().addListener(_ -> tunnel.closed(server));
        server.closeFuture().addListener(_ -> tunnel.closed(client));
        server.read();
        // ORDER: after what came ahead of time, which whoever calls hands over now. The client may
        // have ended its output by then, and nobody was there to hear it.
        client.eventLoop().execute(() -> endEarly(client));
    }

    private static void endEarly(Channel client) {
        if (client instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
            client.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
    }

    private IdleStateHandler idle() {
        return new IdleStateHandler(
                0, 0, service.bounds().idleTunnel().toMillis(), TimeUnit.MILLISECONDS);
    }

    private void closed(Channel other) {
        open--;
        if (open == 0) {
            ending.ended(up, down, System.nanoTime() - began);
        } else if (other.isActive()) {
            closeAfterAll(other);
        }
    }

    /// What is on its way still arrives.
    private static void closeAfterAll(Channel channel) {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> channel.close());
    }

    private static void endOutput(Channel channel) {
        var tls = channel.pipeline().get(SslHandler.class);
        if (tls != null) {
            tls.closeOutbound();
        }
        ((DuplexChannel) channel).shutdownOutput();
    }

    /// One of the two: passes on what it hears to the other.
    private final class Side extends ChannelInboundHandlerAdapter {
        private final Channel other;
        private final boolean isClient;

        Side(Channel other, boolean isClient) {
            this.other = other;
            this.isClient = isClient;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!(message instanceof ByteBuf bytes)) {
                // Something that was taken for a request before there was a tunnel.
                ReferenceCountUtil.release(message);
                ctx.close();
                return;
            }
            int size = bytes.readableBytes();
            if (isClient) {
                up += size;
            } else {
                down += size;
            }
            if (!account.pass(size)) {
                bytes.release();
                ctx.close();
                return;
            }
            other.write(bytes);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            other.flush();
            if (other.isWritable()) {
                ctx.read();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (ctx.channel().isWritable()) {
                other.read();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> endOutput(other));
                if (((DuplexChannel) other).isInputShutdown()) {
                    closeAfterAll(ctx.channel());
                    closeAfterAll(other);
                }
            } else if (event instanceof IdleStateEvent) {
                ctx.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
