// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Scheme;
import dev.writ.core.capability.Text;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The connections to servers that one connection of a program uses. One that is not needed for the
/// moment is kept for the next request to the same destination.
final class Servers {
    private static final int MOST_KEPT = 8;

    private final Service service;
    private final Channel client;
    private final List<Server> kept = new ArrayList<>();

    /// @param client the program's connection, with which they end
    Servers(Service service, Channel client) {
        this.service = service;
        this.client = client;
        client.closeFuture().addListener(_ -> List.copyOf(kept).forEach(s -> s.channel().close()));
    }

    /// Hears what came of it.
    interface Taker {
        void taken(Server server);

        void failed(Dialer.Failure failure);
    }

    /// Gets a connection to `to`.
    void take(Destination to, Scheme scheme, Taker taker) {
        var ready = kept(to, scheme);
        if (ready.isPresent()) {
            kept.remove(ready.get());
            ready.get().channel().pipeline().remove(Idle.class);
            taker.taken(ready.get());
        } else {
            dial(to, scheme, taker);
        }
    }

    private Optional<Server> kept(Destination to, Scheme scheme) {
        return kept.stream()
                .filter(s -> s.to().equals(to) && s.scheme() == scheme && s.channel().isActive())
                .findFirst();
    }

    /// Takes a connection back that can carry another request.
    void keep(Server server) {
        var channel = server.channel();
        if (kept.size() >= MOST_KEPT) {
            kept.removeFirst().channel().close();
        }
        kept.add(new Server(channel, server.to(), server.scheme(), server.counted(), true));
        channel.pipeline().addLast(new Idle());
        channel.read();
    }

    private void dial(Destination to, Scheme scheme, Taker taker) {
        service.dialer()
                .dial(
                        to,
                        client.eventLoop(),
                        new Dialer.Outcome() {
                            @Override
                            public void connected(Channel channel) {
                                if (!client.isActive()) {
                                    channel.close();
                                } else if (scheme == Scheme.HTTPS) {
                                    secure(channel, to, taker);
                                } else {
                                    taker.taken(installed(channel, to, scheme));
                                }
                            }

                            @Override
                            public void failed(Dialer.Failure failure) {
                                if (client.isActive()) {
                                    taker.failed(failure);
                                }
                            }
                        });
    }

    private void secure(Channel channel, Destination to, Taker taker) {
        var tls = service.inspection().orElseThrow().toServer(channel, to, Protocols.OLD);
        tls.handshakeFuture()
                .addListener(
                        future -> {
                            if (!client.isActive()) {
                                channel.close();
                            } else if (future.isSuccess()) {
                                taker.taken(installed(channel, to, Scheme.HTTPS));
                            } else {
                                channel.close();
                                taker.failed(unproven(to, future.cause()));
                            }
                        });
        channel.pipeline().addLast(tls, new Silent());
        channel.read();
    }

    private static Dialer.Failure unproven(Destination to, Throwable cause) {
        return new Dialer.Failure(
                false,
                false,
                "TLS with " + to + " failed: " + Text.shown(String.valueOf(cause.getMessage())));
    }

    private Server installed(Channel channel, Destination to, Scheme scheme) {
        if (channel.pipeline().get(Silent.class) != null) {
            channel.pipeline().remove(Silent.class);
        }
        var traffic = new Traffic(service.usage());
        channel.pipeline()
                .addLast(
                        traffic,
                        new HttpClientCodec(
                                new HttpDecoderConfig()
                                        .setMaxInitialLineLength(service.bounds().headBytes())
                                        .setMaxHeaderSize(4 * service.bounds().headBytes())
                                        .setMaxChunkSize(64 * 1024)
                                        .setAllowDuplicateContentLengths(false),
                                false,
                                false),
                        new OneByOne());
        return new Server(channel, to, scheme, traffic, false);
    }

    /// Nothing is expected but the end.
    private final class Idle extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            ctx.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            kept.removeIf(s -> s.channel().equals(ctx.channel()));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    /// What fails is heard elsewhere.
    private static final class Silent extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
