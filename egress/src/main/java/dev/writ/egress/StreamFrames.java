// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2UnknownFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.HashMap;
import java.util.Map;

/// Bounds what waits in the streams of a connection until somebody reads it. Windows do so for the
/// bytes of bodies only: a server may say ever more ahead of an answer, and anybody may send frames
/// of kinds that nobody knows, or of one byte each.
final class StreamFrames extends ChannelInboundHandlerAdapter {
    /// In one direction of a stream: what is said ahead of an answer, the answer, and trailers.
    private static final int MOST_HEADS = 16;

    private final Http2Connection connection;
    private final Http2Connection.PropertyKey heads;
    private final Usage usage;

    /// How many parts of bodies wait in each stream.
    private final Map<Http2FrameStream, Integer> waiting = new HashMap<>();

    StreamFrames(Http2Connection connection, Usage usage) {
        this.connection = connection;
        this.usage = usage;
        this.heads = connection.newKey();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Http2UnknownFrame) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof Http2HeadersFrame head && isTooMany(head.stream())) {
            reset(ctx, head.stream());
        } else if (message instanceof Http2DataFrame data && !mayWait(data.stream())) {
            data.release();
            reset(ctx, data.stream());
        } else {
            ctx.fireChannelRead(message);
        }
    }

    private static void reset(ChannelHandlerContext ctx, Http2FrameStream stream) {
        ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.ENHANCE_YOUR_CALM).stream(stream));
    }

    private boolean mayWait(Http2FrameStream stream) {
        boolean may = usage.mayWait();
        if (may) {
            waiting.merge(stream, 1, Integer::sum);
        }
        return may;
    }

    /// Hears what is taken from `stream`, whose handlers come after this.
    void follow(Http2StreamChannel stream) {
        stream.pipeline()
                .addLast(
                        new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                                if (message instanceof Http2DataFrame) {
                                    taken(stream.stream());
                                }
                                ctx.fireChannelRead(message);
                            }
                        });
        stream.closeFuture().addListener(_ -> forget(stream.stream()));
    }

    private void taken(Http2FrameStream stream) {
        if (waiting.computeIfPresent(stream, (_, count) -> count - 1) != null) {
            usage.taken(1);
        }
    }

    private void forget(Http2FrameStream stream) {
        var left = waiting.remove(stream);
        usage.taken(left == null ? 0 : left);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        waiting.values().forEach(usage::taken);
        waiting.clear();
    }

    private boolean isTooMany(Http2FrameStream of) {
        var stream = connection.stream(of.id());
        if (stream == null) {
            return false; // it has ended with this
        }
        Integer before = stream.getProperty(heads);
        int now = before == null ? 1 : before + 1;
        stream.setProperty(heads, now);
        return now > MOST_HEADS;
    }
}
