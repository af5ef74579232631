// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Scheme;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/// A connection to a server, or a stream of one, that takes a request and gives its answer. It
/// stands at the end of its pipeline, and tells whoever uses it what comes. While nobody does,
/// nothing may come but the end.
final class Server extends ChannelInboundHandlerAdapter {
    private final Channel channel;
    private final Destination to;
    private final Scheme scheme;
    private final Counted counted;
    private final @Nullable AnswerDecoder decoder; // a stream has none
    private final OneByOne messages = new OneByOne();
    private @Nullable User user;
    private boolean kept;
    private boolean bound;

    /// Who has sent a request and waits for the answer.
    interface User {
        void came(Object message);

        void cameAll();

        void writable();

        void ended();

        void failed();
    }

    private Server(
            Channel channel,
            Destination to,
            Scheme scheme,
            Counted counted,
            @Nullable AnswerDecoder decoder) {
        this.channel = channel;
        this.to = to;
        this.scheme = scheme;
        this.counted = counted;
        this.decoder = decoder;
    }

    /// Makes a connection carry requests.
    static Server install(Service service, Channel channel, Destination to, Scheme scheme) {
        var traffic = new Traffic(service.usage().account(to));
        var decoder = new AnswerDecoder(service.bounds().headBytes());
        var server = new Server(channel, to, scheme, traffic, decoder);
        channel.pipeline()
                .addLast(traffic, decoder, new HttpRequestEncoder(), server.messages, server);
        return server;
    }

    /// Makes a stream carry one.
    ///
    /// @param codec is in the pipeline already
    /// @param used whether its connection has carried a request before
    static Server install(Channel stream, Destination to, StreamCodec codec, boolean used) {
        var server = new Server(stream, to, Scheme.HTTPS, codec, null);
        server.kept = used;
        stream.pipeline().addLast(server.messages, server);
        return server;
    }

    /// Takes out of the pipeline what was put there; bytes that were not looked at go on to whoever
    /// is behind it.
    void uninstall() {
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.remove(this);
        pipeline.remove(messages);
        pipeline.remove(HttpRequestEncoder.class);
        pipeline.remove(AnswerDecoder.class);
        pipeline.remove(Traffic.class);
    }

    Channel channel() {
        return channel;
    }

    Counted counted() {
        return counted;
    }

    /// Whether it has carried a request before, so that it may have ended meanwhile.
    boolean isKept() {
        return kept;
    }

    boolean leadsTo(Destination destination, Scheme by) {
        return to.equals(destination) && scheme == by;
    }

    /// What it learnt of who uses it holds for the whole connection, so nobody else may.
    void bind() {
        bound = true;
    }

    boolean isBound() {
        return bound;
    }

    /// @param toHead whether the request is a HEAD
    void use(User by, boolean toHead) {
        user = by;
        if (decoder != null) {
            decoder.expect(toHead);
        }
    }

    /// The exchange is over, on both sides.
    void leave() {
        user = null;
        kept = true;
    }

    /// Whether it can carry another request: nothing has come that nobody asked for, not even a
    /// part of it.
    boolean isReady() {
        return !(channel instanceof Http2StreamChannel)
                && channel.isActive()
                && messages.isEmpty()
                && decoder != null
                && decoder.isEmpty();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        var by = user;
        if (by == null) {
            ReferenceCountUtil.release(message);
            ctx.close();
        } else {
            by.came(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        var by = user;
        if (by != null) {
            by.cameAll();
        } else if (!isReady()) {
            ctx.close();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        var by = user;
        if (by != null) {
            by.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        var by = user;
        if (by != null) {
            by.ended();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var by = user;
        if (by == null) {
            ctx.close();
        } else {
            by.failed();
        }
    }
}
