// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/// Lets in who has the token.
final class ExplicitEntrance extends ChannelInboundHandlerAdapter {
    ExplicitEntrance(Service service, String token) {}

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.close();
    }
}
