// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Where connections come in, and the few threads that move their bytes.
final class Listeners implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int TOKEN_BYTES = 32;

    private final Service service;
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(
                    THREADS,
                    new DefaultThreadFactory("writ-egress", true),
                    NioIoHandler.newFactory());
    private @Nullable Channel announced; // guarded by this
    private @Nullable Channel explicit; // guarded by this
    private final String token;

    Listeners(Service service) {
        this.service = service;
        var bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        this.token = HexFormat.of().formatHex(bytes);
    }

    /// For connections that are announced.
    synchronized InetSocketAddress announced() {
        var open = announced;
        if (open == null) {
            open = bind(() -> new AnnouncedEntrance(service));
            announced = open;
        }
        return address(open);
    }

    /// For programs that are told to use a proxy.
    synchronized Explicit explicit() {
        var open = explicit;
        if (open == null) {
            open = bind(() -> new ExplicitEntrance(service, token));
            explicit = open;
        }
        return new Explicit(address(open), token);
    }

    private static InetSocketAddress address(Channel open) {
        return (InetSocketAddress) open.localAddress();
    }

    private Channel bind(Supplier<ChannelHandler> entrance) {
        var bound =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, 1024)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.RECVBUF_ALLOCATOR, Tunnel.buffers())
                        .childHandler(new Arrivals(entrance))
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .syncUninterruptibly()
                        .channel();
        service.own().add(address(bound));
        return bound;
    }

    /// Counts connections, and lets no more in than there may be.
    private final class Arrivals extends ChannelInitializer<Channel> {
        private final Supplier<ChannelHandler> entrance;

        Arrivals(Supplier<ChannelHandler> entrance) {
            this.entrance = entrance;
        }

        @Override
        protected void initChannel(Channel channel) {
            if (!service.usage().connect()) {
                channel.close();
                return;
            }
            channel.closeFuture().addListener(_ -> service.usage().disconnect());
            channel.pipeline().addLast(entrance.get());
        }
    }

    /// Ends all connections, and waits until that is written down.
    @Override
    public synchronized void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
