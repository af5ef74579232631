// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Looks at the frames of a WebSocket, in a session that has secrets: nothing that stands for one
/// goes out, and none comes back. What is put behind it sees bytes, as without it.
final class WebSockets extends ChannelInboundHandlerAdapter {
    private final Concealing secrets;
    private final boolean fromProgram;
    private final Consumer<Misplaced> refusal;
    private final Writing writing;

    private WebSockets(Concealing secrets, boolean fromProgram, Consumer<Misplaced> refusal) {
        this.secrets = secrets;
        this.fromProgram = fromProgram;
        this.refusal = refusal;
        this.writing = new Writing(fromProgram);
    }

    /// @param refusal hears what was found, of which nothing has left
    static void watch(
            Usage usage,
            Channel client,
            Channel server,
            Concealing secrets,
            Consumer<Misplaced> refusal) {
        client.pipeline()
                .addLast(
                        new FrameDecoder(usage, client, server, true),
                        new WebSockets(secrets, true, refusal));
        server.pipeline()
                .addLast(
                        new FrameDecoder(usage, server, client, false),
                        new WebSockets(secrets, false, refusal));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        var frame = (WebSocketFrame) message;
        try {
            var out = frame.replace(fromProgram ? looked(frame) : masked(frame));
            try {
                writing.bytes(ctx, out).forEach(ctx::fireChannelRead);
            } finally {
                out.release();
            }
        } catch (Misplaced e) {
            refusal.accept(e);
            ctx.close();
        } finally {
            frame.release();
        }
    }

    private ByteBuf looked(WebSocketFrame frame) {
        if (isBetween(frame)) {
            secrets.lookAlone(frame.content());
        } else {
            secrets.look(frame.content());
        }
        return frame.content().retain();
    }

    private ByteBuf masked(WebSocketFrame frame) {
        secrets.requireUnprobed();
        return isBetween(frame)
                ? secrets.maskedAlone(frame.content())
                : secrets.masked(frame.content(), frame.isFinalFragment());
    }

    /// Whether it may stand between the parts of one message.
    private static boolean isBetween(WebSocketFrame frame) {
        return frame instanceof PingWebSocketFrame
                || frame instanceof PongWebSocketFrame
                || frame instanceof CloseWebSocketFrame;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    /// Makes bytes of a frame.
    private static final class Writing extends WebSocket13FrameEncoder {
        Writing(boolean masks) {
            super(masks);
        }

        List<Object> bytes(ChannelHandlerContext ctx, WebSocketFrame frame) throws Exception {
            var out = new ArrayList<>();
            encode(ctx, frame, out);
            return out;
        }
    }
}
