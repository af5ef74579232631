// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;

/// Reads frames of a WebSocket that come from one side, each to its end. What is there of a long
/// one, and what this side has not taken yet of those for it, counts to what a session may keep.
final class FrameDecoder extends WebSocket13FrameDecoder {
    private static final int LONGEST = 1024 * 1024;
    private static final int SHORT = 64 * 1024; // no more than connections have without frames

    private final Usage usage;
    private final Channel channel;
    private final Channel other;
    private int held;
    private boolean removed;

    /// @param channel where frames come from
    /// @param other where they go
    FrameDecoder(Usage usage, Channel channel, Channel other, boolean fromProgram) {
        super(
                WebSocketDecoderConfig.newBuilder()
                        .maxFramePayloadLength(LONGEST)
                        .expectMaskedFrames(fromProgram)
                        .allowExtensions(false)
                        .closeOnProtocolViolation(false)
                        .withUTF8Validator(false)
                        .build());
        this.usage = usage;
        this.channel = channel;
        this.other = other;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        super.channelRead(ctx, message);
        count();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        super.channelReadComplete(ctx);
        count();
        var opposite = other.pipeline().get(FrameDecoder.class);
        if (opposite != null) {
            opposite.count();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
        count();
        super.channelWritabilityChanged(ctx);
    }

    private void count() {
        int now = removed ? 0 : Math.max(0, actualReadableBytes() + notTaken() - SHORT);
        if (now > held && !usage.hold(now - held)) {
            channel.close();
            return;
        }
        usage.release(Math.max(0, held - now));
        held = now;
    }

    private int notTaken() {
        var waiting = channel.unsafe().outboundBuffer();
        return waiting == null || waiting.isWritable()
                ? 0
                : Math.toIntExact(waiting.totalPendingWriteBytes());
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
        removed = true;
        count();
        super.handlerRemoved0(ctx);
    }
}
