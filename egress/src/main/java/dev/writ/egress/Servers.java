// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Scheme;
import dev.writ.core.capability.Text;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The connections to servers that one connection of a program uses. One that is not needed for the
/// moment is kept for the next request to the same destination.
final class Servers {
    private static final int MOST_KEPT = 8;

    private final Service service;
    private final Channel client;
    private final List<Server> kept = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>(); // for what is known of the server
    private boolean streams; // whether the server may take requests in streams
    private boolean asking; // whether it is being found out
    private @Nullable Channel shared; // the connection that carries them

    /// @param client the program's connection, with which they end
    /// @param streams whether its requests come in streams, all for one destination
    Servers(Service service, Channel client, boolean streams) {
        this.service = service;
        this.client = client;
        this.streams = streams;
        client.closeFuture().addListener(_ -> close());
    }

    /// What others can use is left to them.
    private void close() {
        kept.forEach(service.kept(client.eventLoop())::keep);
        kept.clear();
        var open = shared;
        if (open != null) {
            open.close();
        }
    }

    /// Hears what came of it.
    interface Taker {
        void taken(Server server);

        void failed(Dialer.Failure failure);
    }

    /// Gets a connection to `to`.
    ///
    /// @param anew whether it can be tried again if the connection turns out to have ended
    void take(Destination to, Scheme scheme, boolean anew, Taker taker) {
        var open = shared;
        if (open != null) {
            stream(open, to, true, taker);
            return;
        }
        var ready = kept(to, scheme);
        if (ready.isEmpty() && anew && !streams) {
            ready = service.kept(client.eventLoop()).take(to, scheme);
        }
        if (ready.isPresent()) {
            taker.taken(ready.get());
        } else if (asking) {
            waiting.add(new Waiting(to, scheme, anew, taker));
        } else {
            asking = streams;
            dial(to, scheme, taker);
        }
    }

    private record Waiting(Destination to, Scheme scheme, boolean anew, Taker taker) {}

    /// Whoever waits for what is known now.
    private List<Waiting> asked() {
        asking = false;
        var all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    private void fail(Dialer.Failure failure, Taker taker) {
        var others = asked();
        taker.failed(failure);
        others.forEach(w -> w.taker().failed(failure));
    }

    /// One that leads to `to`, which is not kept any more. Those that have ended go.
    private Optional<Server> kept(Destination to, Scheme scheme) {
        for (var all = kept.iterator(); all.hasNext(); ) {
            var one = all.next();
            boolean ready = one.isReady();
            if (!ready || one.leadsTo(to, scheme)) {
                all.remove();
                if (ready) {
                    return Optional.of(one);
                }
                one.channel().close();
            }
        }
        return Optional.empty();
    }

    /// Takes a connection back whose exchange is over.
    void keep(Server server) {
        server.leave();
        if (!server.isReady()) {
            server.channel().close();
            return;
        }
        if (!client.isActive()) {
            service.kept(client.eventLoop()).keep(server);
        } else {
            if (kept.size() >= MOST_KEPT) {
                kept.removeFirst().channel().close();
            }
            kept.add(server);
        }
        server.channel().read();
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
                                    taker.taken(Server.install(service, channel, to, scheme));
                                }
                            }

                            @Override
                            public void failed(Dialer.Failure failure) {
                                if (client.isActive()) {
                                    fail(failure, taker);
                                }
                            }
                        });
    }

    private void secure(Channel channel, Destination to, Taker taker) {
        var tls =
                service.inspection()
                        .orElseThrow()
                        .toServer(channel, to, streams ? Protocols.BOTH : Protocols.OLD);
        tls.handshakeFuture()
                .addListener(
                        future -> {
                            if (!client.isActive()) {
                                channel.close();
                            } else if (future.isSuccess()) {
                                begin(channel, to, tls.applicationProtocol(), taker);
                                asked().forEach(w -> take(w.to(), w.scheme(), w.anew(), w.taker()));
                            } else {
                                channel.close();
                                fail(unproven(to, future.cause()), taker);
                            }
                        });
        channel.pipeline().addLast(tls, new Silent());
        channel.read();
    }

    private void begin(Channel channel, Destination to, @Nullable String protocol, Taker taker) {
        channel.pipeline().remove(Silent.class);
        if (!Protocols.HTTP_2.equals(protocol)) {
            streams = false;
            taker.taken(Server.install(service, channel, to, Scheme.HTTPS));
            return;
        }
        channel.pipeline().addLast(new Traffic(service.usage().account(to)));
        shared = channel;
        Streams.toServer(
                channel,
                service,
                () -> {
                    if (channel.equals(shared)) {
                        shared = null;
                    }
                });
        stream(channel, to, false, taker);
    }

    private static void stream(Channel connection, Destination to, boolean used, Taker taker) {
        var codec = new StreamCodec(false);
        var frames = Objects.requireNonNull(connection.pipeline().get(StreamFrames.class));
        new Http2StreamChannelBootstrap(connection)
                .option(ChannelOption.AUTO_READ, false)
                .handler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel stream) {
                                frames.follow((Http2StreamChannel) stream);
                                stream.pipeline().addLast(codec);
                            }
                        })
                .open()
                .addListener(
                        (Future<Http2StreamChannel> future) -> {
                            if (future.isSuccess()) {
                                taker.taken(Server.install(future.getNow(), to, codec, used));
                            } else {
                                taker.failed(
                                        new Dialer.Failure(
                                                false, false, to + " takes no more requests"));
                            }
                        });
    }

    private static Dialer.Failure unproven(Destination to, Throwable problem) {
        var cause = problem; // what is around it only says that there is one
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return new Dialer.Failure(
                false,
                false,
                "TLS with " + to + " failed: " + Text.shown(String.valueOf(cause.getMessage())));
    }

    /// What fails is heard elsewhere.
    private static final class Silent extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
