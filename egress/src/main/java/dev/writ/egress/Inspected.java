// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scheme;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/// Ends the TLS of a program here, in place of the host it wants, and goes on with the requests
/// inside.
final class Inspected extends ApplicationProtocolNegotiationHandler {
    private final Service service;
    private final Destination to;

    private Inspected(Service service, Destination to) {
        super(Protocols.HTTP_1_1);
        this.service = service;
        this.to = to;
    }

    /// @param client has nothing in its pipeline that would look at what comes next
    static void begin(Service service, Channel client, Destination to) {
        var hold = new Hold();
        client.pipeline().addLast(hold);
        service.inspection()
                .orElseThrow()
                .toProgram(
                        to.host(),
                        client,
                        tls -> {
                            client.pipeline()
                                    .addLast(
                                            tls.newHandler(client.alloc()),
                                            new Inspected(service, to));
                            hold.release(client);
                        });
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
        var entry = Entry.to(to, Scheme.HTTPS);
        if (protocol.equals(Protocols.HTTP_2)) {
            Streams.fromProgram(ctx.channel(), service, entry);
        } else {
            Requests.install(ctx.channel(), service, entry);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof SslHandshakeCompletionEvent done && !done.isSuccess()) {
            failed(ctx);
        } else {
            super.userEventTriggered(ctx, event);
        }
    }

    private void failed(ChannelHandlerContext ctx) {
        service.gate()
                .refused(
                        new Action.Connect(Scheme.TCP, to.host(), to.port()),
                        new Reason(
                                Refusals.NOT_TRUSTED,
                                "the program does not go on with TLS that is looked into: it may trust certificates of its own only",
                                "let it trust those of this machine, or permit the whole host: `net:allow=https://"
                                        + to
                                        + "`"));
        ctx.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
