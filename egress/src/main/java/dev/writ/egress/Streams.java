// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/// Connections of HTTP/2. Each of their streams carries one request, which is judged by itself.
final class Streams {
    private static final int MOST = 100;
    private static final int STREAM_WINDOW = 256 * 1024;
    private static final int WINDOW = 1024 * 1024;
    private static final int FIRST_WINDOW = 65_535;

    private Streams() {}

    /// Makes `client` carry requests in streams.
    static void fromProgram(Channel client, Service service, Entry entry) {
        var servers = new Servers(service, client, true);
        var codec =
                Http2FrameCodecBuilder.forServer()
                        .initialSettings(
                                settings(service.bounds().headBytes()).maxConcurrentStreams(MOST))
                        .build();
        var frames = new StreamFrames(codec.connection(), service.usage());
        client.pipeline()
                .addLast(
                        new IdleStateHandler(
                                0,
                                0,
                                service.bounds().idleRequests().toMillis(),
                                TimeUnit.MILLISECONDS));
        install(
                client,
                codec,
                frames,
                new Http2MultiplexHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel stream) {
                                stream.config().setAutoRead(false);
                                frames.follow((Http2StreamChannel) stream);
                                if (service.usage().connect()) {
                                    stream.closeFuture()
                                            .addListener(_ -> service.usage().disconnect());
                                    Requests.install(stream, service, entry, servers);
                                } else {
                                    refuse(stream);
                                }
                            }
                        }),
                new End(codec, () -> {}));
    }

    /// A program may try again what was not even looked at.
    private static void refuse(Channel stream) {
        stream.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM))
                .addListener(_ -> stream.close());
    }

    /// Makes `server` take requests in streams.
    ///
    /// @param over is run when it takes no more
    static void toServer(Channel server, Service service, Runnable over) {
        var codec =
                Http2FrameCodecBuilder.forClient()
                        .initialSettings(
                                settings(4 * service.bounds().headBytes()).pushEnabled(false))
                        .encoderEnforceMaxConcurrentStreams(true)
                        .build();
        install(
                server,
                codec,
                new StreamFrames(codec.connection(), service.usage()),
                new Http2MultiplexHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel pushed) {
                                pushed.close();
                            }
                        }),
                new End(codec, over));
    }

    private static Http2Settings settings(int headBytes) {
        return new Http2Settings().initialWindowSize(STREAM_WINDOW).maxHeaderListSize(headBytes);
    }

    /// What is not read yet is bounded, so it can be read as it comes.
    private static void install(
            Channel channel,
            Http2FrameCodec codec,
            StreamFrames frames,
            ChannelHandler streams,
            ChannelHandler end) {
        channel.pipeline().addLast(codec, frames, streams, end);
        channel.writeAndFlush(new DefaultHttp2WindowUpdateFrame(WINDOW - FIRST_WINDOW));
        channel.config().setAutoRead(true);
    }

    /// What concerns the whole connection.
    private static final class End extends ChannelInboundHandlerAdapter {
        private final Http2FrameCodec codec;
        private final Runnable over;

        End(Http2FrameCodec codec, Runnable over) {
            this.codec = codec;
            this.over = over;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Http2GoAwayFrame) {
                over.run();
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof IdleStateEvent && codec.connection().numActiveStreams() == 0) {
                ctx.close();
            } else if (event instanceof ChannelInputShutdownEvent) {
                ctx.close();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            over.run();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
