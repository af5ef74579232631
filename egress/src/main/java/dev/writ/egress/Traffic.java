// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;

/// Counts what goes to a server and what comes back, and ends it where a session may have no more.
final class Traffic extends ChannelDuplexHandler implements Counted {
    private final Usage.Account account;
    private long up;
    private long down;

    Traffic(Usage.Account account) {
        this.account = account;
    }

    @Override
    public long up() {
        return up;
    }

    @Override
    public long down() {
        return down;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        int size = ((ByteBuf) message).readableBytes();
        down += size;
        if (account.pass(size)) {
            ctx.fireChannelRead(message);
        } else {
            ReferenceCountUtil.release(message);
            ctx.close();
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        int size = message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        up += size;
        if (account.pass(size)) {
            ctx.write(message, promise);
        } else {
            ReferenceCountUtil.release(message);
            promise.setFailure(new BadRequest("the session has used up its bytes"));
            ctx.close();
        }
    }
}
