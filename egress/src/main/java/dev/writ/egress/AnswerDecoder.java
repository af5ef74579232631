// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/// Reads what a server answers. Knows what it is the answer to, and looks at nothing behind it:
/// what nobody has asked for stays bytes.
final class AnswerDecoder extends HttpResponseDecoder {
    private boolean toHead;
    private boolean isAnswer; // what was begun last, not only ahead of one
    private boolean over; // nobody waits for an answer

    AnswerDecoder(int mostHead) {
        super(
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(mostHead)
                        .setMaxHeaderSize(4 * mostHead)
                        .setMaxChunkSize(64 * 1024)
                        .setAllowDuplicateContentLengths(false)
                        // Old servers and scripts end lines in LF alone. Nobody else reads what
                        // they say: it is written anew.
                        .setStrictLineParsing(false));
    }

    /// @param toHead whether the next answer is one to HEAD, which has no body
    void expect(boolean toHead) {
        this.toHead = toHead;
        over = false;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        if (over) {
            return;
        }
        int before = out.size();
        super.decode(ctx, in, out);
        for (int i = before; i < out.size(); i++) {
            look(out.get(i));
        }
    }

    private void look(Object message) {
        if (message instanceof HttpResponse head) {
            isAnswer = head.status().codeClass() != HttpStatusClass.INFORMATIONAL;
        }
        over |= isAnswer && message instanceof LastHttpContent;
    }

    /// A decoder reads on if it could make nothing of what came. Not this one of what it does not
    /// look at.
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (over) {
            ctx.fireChannelReadComplete();
        } else {
            super.channelReadComplete(ctx);
        }
    }

    /// Whether all that has come was read.
    boolean isEmpty() {
        return actualReadableBytes() == 0;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        boolean answer =
                message instanceof HttpResponse response
                        && response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
        return (answer && toHead) || super.isContentAlwaysEmpty(message);
    }
}
