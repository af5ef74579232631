// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads one request at a time, and none that others might read in another way: each head is looked
/// at before the decoder sees it. What comes after a request is not looked at before somebody wants
/// the next one.
final class RequestDecoder extends HttpRequestDecoder {
    private final int most;
    private @Nullable HeadCheck head = new HeadCheck();
    private @Nullable ChannelHandlerContext context;
    private boolean waiting; // for somebody to want the next request
    private boolean broken;

    RequestDecoder(int most) {
        super(
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(most)
                        .setMaxHeaderSize(most)
                        .setMaxChunkSize(64 * 1024)
                        .setAllowDuplicateContentLengths(false)
                        .setStrictLineParsing(true));
        this.most = most;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /// Somebody wants the next request.
    void next() throws Exception {
        waiting = false;
        head = new HeadCheck();
        var ctx = context;
        if (ctx != null && actualReadableBytes() > 0) {
            channelRead(ctx, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        if (broken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (waiting) {
            return;
        }
        try {
            if (isHead(ctx, in)) {
                return;
            }
            int before = out.size();
            super.decode(ctx, in, out);
            for (int i = before; i < out.size(); i++) {
                waiting |= out.get(i) instanceof LastHttpContent;
            }
        } catch (BadRequest e) {
            broken = true;
            in.skipBytes(in.readableBytes());
            out.add(e);
        }
    }

    /// A decoder reads on if it could make nothing of what came. Not this one of what nobody wants
    /// yet: a program could send as much as it likes while it waits for an answer.
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (waiting) {
            ctx.fireChannelReadComplete();
        } else {
            super.channelReadComplete(ctx);
        }
    }

    /// Whether this is still a head of which more has to come.
    private boolean isHead(ChannelHandlerContext ctx, ByteBuf in) {
        var check = head;
        if (check == null) {
            return false;
        }
        if (!check.hasBegun() && in.isReadable()) {
            ctx.fireUserEventTriggered(Mark.HEAD_BEGAN);
        }
        if (!check.isWhole(in, most)) {
            return true;
        }
        head = null;
        return false;
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        // The end of the input ends no request: what is not whole is none.
        if (in.isReadable()) {
            decode(ctx, in, out);
        }
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new BadRequest("a request has a Content-Length or a Transfer-Encoding, not both");
    }
}
