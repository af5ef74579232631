// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2UnknownFrame;
import io.netty.util.ReferenceCountUtil;

/// Bounds what waits in the streams of a connection until somebody reads it. Windows do so for
/// bodies only: a server may say ever more ahead of an answer, and anybody may send frames of kinds
/// that nobody knows.
final class StreamFrames extends ChannelInboundHandlerAdapter {
    /// In one direction of a stream: what is said ahead of an answer, the answer, and trailers.
    private static final int MOST_HEADS = 16;

    private final Http2Connection connection;
    private final Http2Connection.PropertyKey heads;

    StreamFrames(Http2Connection connection) {
        this.connection = connection;
        this.heads = connection.newKey();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Http2UnknownFrame) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof Http2HeadersFrame head && isTooMany(head.stream())) {
            ctx.writeAndFlush(
                    new DefaultHttp2ResetFrame(Http2Error.ENHANCE_YOUR_CALM).stream(head.stream()));
        } else {
            ctx.fireChannelRead(message);
        }
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
