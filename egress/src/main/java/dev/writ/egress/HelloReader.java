// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scheme;
import dev.writ.core.capability.SyntaxException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.time.Duration;
import java.util.List;

/// Waits for the first message of TLS, and lets it pass if it is for the host that was permitted.
/// Nothing has left until then.
final class HelloReader extends ByteToMessageDecoder {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Service service;
    private final Destination to;
    private final Runnable then;
    private final Deadline deadline = new Deadline();
    private boolean begun;
    private boolean over;

    /// @param then goes on, when its handler is put behind this one: it gets all bytes from the
    /// first
    HelloReader(Service service, Destination to, Runnable then) {
        this.service = service;
        this.to = to;
        this.then = then;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        limit(ctx, service.bounds().firstBytes());
    }

    private void limit(ChannelHandlerContext ctx, Duration longest) {
        deadline.set(
                ctx, longest, () -> refuse(ctx, "nothing that could be told apart came in time"));
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (over) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (!begun) {
            begun = true;
            limit(ctx, LONGEST);
        }
        try {
            var hello = ClientHello.read(in);
            if (hello.isPresent()) {
                check(hello.get());
                over = true;
                then.run();
                // What was read so far goes to whoever comes next.
                ctx.pipeline().remove(this);
            }
        } catch (BadRequest e) {
            in.skipBytes(in.readableBytes());
            refuse(ctx, e.getMessage());
        }
    }

    private void check(ClientHello.Hello hello) {
        if (hello.name().isEmpty() && to.host() instanceof Host.Literal) {
            return;
        }
        String name = hello.name().orElseThrow(() -> new BadRequest("TLS names no server"));
        try {
            if (Host.parseLoose(name, 0).equals(to.host())) {
                return;
            }
        } catch (SyntaxException e) {
            // As good as another one.
        }
        throw new BadRequest("TLS is for another server: " + BadRequest.shown(name));
    }

    private void refuse(ChannelHandlerContext ctx, String why) {
        if (!over) {
            over = true;
            service.gate()
                    .refused(
                            new Action.Connect(Scheme.TCP, to.host(), to.port()),
                            new Reason(
                                    Refusals.NOT_TLS,
                                    why + "; only TLS with " + to.host() + " may pass",
                                    ""));
            ctx.close();
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        deadline.cancel();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        // The other side will say no more, so there will be no message.
        refuse(ctx, "the connection ended before it said anything");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
