// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Where connections come in, and the few threads that move their bytes.
final class Listeners implements AutoCloseable {
    private static final int MOST_THREADS = 4;
    private static final int TOKEN_BYTES = 32;

    private final Service service;
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(
                    threads(),
                    new DefaultThreadFactory("writ-egress", true),
                    NioIoHandler.newFactory());
    private @Nullable Channel announced; // guarded by this
    private @Nullable Channel explicit; // guarded by this
    private final String token;
    private final ChannelGroup open = new DefaultChannelGroup(loops.next());

    Listeners(Service service) {
        this.service = service;
        // It looks at buffers that are not given back, and is for who looks for them.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        var bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        this.token = HexFormat.of().formatHex(bytes);
        // ORDER: started here, with the rights of this thread, and not by who comes first.
        for (var loop : loops) {
            loop.submit(() -> {}).syncUninterruptibly();
        }
    }

    /// Half of the processors: the others are for those whose bytes they are. Two threads on two
    /// processors wake each other more often than they get anything done.
    private static int threads() {
        return Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, MOST_THREADS);
    }

    /// For connections that are announced.
    synchronized InetSocketAddress announced() {
        var bound = announced;
        if (bound == null) {
            bound = bind(new Arrivals());
            announced = bound;
        }
        return address(bound);
    }

    /// For programs that are told to use a proxy.
    synchronized Explicit explicit() {
        var bound = explicit;
        if (bound == null) {
            bound = bind(new Strange());
            explicit = bound;
        }
        return new Explicit(address(bound), token);
    }

    private static InetSocketAddress address(Channel bound) {
        return (InetSocketAddress) bound.localAddress();
    }

    private Channel bind(ChannelInitializer<Channel> entrance) {
        var bound =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, 1024)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.RECVBUF_ALLOCATOR, Tunnel.buffers())
                        .childHandler(entrance)
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .syncUninterruptibly()
                        .channel();
        open.add(bound);
        service.own().add(address(bound));
        return bound;
    }

    /// Counts connections that are announced, and lets no more in than there may be.
    private final class Arrivals extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            if (!service.usage().connect()) {
                channel.close();
                return;
            }
            channel.closeFuture().addListener(_ -> service.usage().disconnect());
            open.add(channel);
            channel.pipeline().addLast(new AnnouncedEntrance(service));
        }
    }

    /// Lets anybody in, until it is known who it is.
    private final class Strange extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            service.strangers().enter(channel);
            open.add(channel);
            channel.pipeline().addLast(new ExplicitEntrance(service, token));
        }
    }

    /// Ends all connections, and waits until that is written down.
    @Override
    public synchronized void close() {
        open.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
        // ORDER: each thread has then done what follows from that.
        for (var loop : loops) {
            loop.submit(() -> {}).awaitUninterruptibly(2, TimeUnit.SECONDS);
        }
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
