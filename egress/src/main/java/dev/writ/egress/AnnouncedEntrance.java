// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;

/// Lets in who was announced, and sends everybody else away.
final class AnnouncedEntrance extends ChannelInboundHandlerAdapter {
    private final Service service;

    AnnouncedEntrance(Service service) {
        this.service = service;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        var channel = ctx.channel();
        var announced = service.announcements().take((InetSocketAddress) channel.remoteAddress());
        ctx.pipeline().remove(this);
        if (announced.isEmpty()) {
            channel.close();
        } else {
            var known = announced.get();
            Passing.permitted(
                    service, channel, known.destination(), known.passage(), new Silence(channel));
        }
    }

    /// A program that knows of no proxy cannot be told anything.
    private record Silence(Channel channel) implements Passing.Reply {
        @Override
        public void open() {}

        @Override
        public void refused(Action action, Reason reason) {
            channel.close();
        }

        @Override
        public void failed(Dialer.Failure failure) {
            channel.close();
        }
    }
}
