// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;

/// Keeps bytes that came too early.
final class Hold extends ChannelInboundHandlerAdapter {
    private final List<ByteBuf> early = new ArrayList<>();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            early.add(bytes);
        } else {
            ReferenceCountUtil.release(message);
            // The end of the request that it came with is nothing to keep.
            if (!(message instanceof LastHttpContent)) {
                ctx.close();
            }
        }
    }

    /// Hands them to whoever comes after in the pipeline, and reads on.
    void release(Channel channel) {
        var ctx = channel.pipeline().context(this);
        if (ctx == null) {
            return;
        }
        for (var bytes : early) {
            ctx.fireChannelRead(bytes);
        }
        boolean any = !early.isEmpty();
        early.clear();
        if (any) {
            ctx.fireChannelReadComplete();
        } else {
            channel.read();
        }
        if (channel.pipeline().context(this) != null) {
            channel.pipeline().remove(this);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        early.forEach(ReferenceCountUtil::release);
        early.clear();
    }
}
