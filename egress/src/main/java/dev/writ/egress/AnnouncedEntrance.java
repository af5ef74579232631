// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/// Lets in who was announced.
final class AnnouncedEntrance extends ChannelInboundHandlerAdapter {
    AnnouncedEntrance(Service service) {}

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.close();
    }
}
