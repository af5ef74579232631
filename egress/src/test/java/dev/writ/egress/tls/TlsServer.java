// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/// Answers whatever is said to it with `it works`, over TLS.
final class TlsServer implements AutoCloseable {
    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel channel;

    TlsServer(SslContext context) throws InterruptedException {
        channel =
                new ServerBootstrap()
                        .group(group)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel child) {
                                        child.pipeline()
                                                .addLast(context.newHandler(child.alloc()))
                                                .addLast(new Answer());
                                    }
                                })
                        .bind(InetAddress.getLoopbackAddress(), 0)
                        .sync()
                        .channel();
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            var text = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nit works";
            context.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII))
                    .addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            var _ = context.close();
        }
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
