// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.channel.ChannelHandlerContext;

/// Tells SOCKS from HTTP.
final class ExplicitEntrance extends FirstBytes {
    private final String token;

    ExplicitEntrance(Service service, String token) {
        super(service);
        this.token = token;
    }

    @Override
    boolean sort(ChannelHandlerContext ctx, int first) {
        if (first == Socks.VERSION) {
            ctx.pipeline().addLast(new Socks(service, token));
        } else {
            Requests.install(ctx.channel(), service, Entry.explicit(token));
        }
        return true;
    }
}
