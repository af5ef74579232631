// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/// Waits for the first bytes of a connection, which tell what it is, and hands them to whoever sees
/// to that.
abstract class FirstBytes extends ChannelInboundHandlerAdapter {
    private final Deadline deadline = new Deadline();
    final Service service;

    FirstBytes(Service service) {
        this.service = service;
    }

    /// Puts whoever sees to such a connection behind this handler.
    ///
    /// @return false if nobody does, and it ends here
    abstract boolean sort(ChannelHandlerContext ctx, int first);

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.set(ctx, service.bounds().firstBytes());
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        var bytes = (ByteBuf) message;
        if (!bytes.isReadable()) {
            bytes.release();
            ctx.read();
        } else if (sort(ctx, bytes.getUnsignedByte(bytes.readerIndex()))) {
            ctx.fireChannelRead(bytes);
            ctx.fireChannelReadComplete();
            ctx.pipeline().remove(this);
        } else {
            bytes.release();
            ctx.close();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        deadline.cancel();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
