// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.SyntaxException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// SOCKS 5 (RFC 1928, RFC 1929): connections only, and only for who knows the token.
final class Socks extends ByteToMessageDecoder {
    static final int VERSION = 5;

    private static final int MOST_EARLY = 64 * 1024;
    private static final int PASSWORD = 2;
    private static final int NO_METHOD = 0xFF;
    private static final int CONNECT = 1;

    private static final int GRANTED = 0;
    private static final int FAILURE = 1;
    private static final int NOT_ALLOWED = 2;
    private static final int UNREACHABLE = 4;
    private static final int NO_SUCH_COMMAND = 7;
    private static final int NO_SUCH_ADDRESS = 8;

    private final Service service;
    private final String token;
    private final Deadline deadline = new Deadline();
    private Step step = Step.GREETING;

    private enum Step {
        GREETING,
        PASSWORD,
        REQUEST,
        OVER
    }

    Socks(Service service, String token) {
        this.service = service;
        this.token = token;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.set(ctx, service.bounds().head());
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        deadline.cancel();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int start = in.readerIndex();
        try {
            switch (step) {
                case GREETING -> greeting(ctx, in);
                case PASSWORD -> password(ctx, in);
                case REQUEST -> request(ctx, in);
                case OVER -> {
                    if (in.readableBytes() > MOST_EARLY) {
                        ctx.close();
                    }
                }
            }
        } catch (IndexOutOfBoundsException e) {
            in.readerIndex(start); // More has to come; a message has at most 513 bytes.
        } catch (BadRequest e) {
            in.skipBytes(in.readableBytes());
            end(ctx, reply(FAILURE));
        }
    }

    private void greeting(ChannelHandlerContext ctx, ByteBuf in) {
        version(in, VERSION);
        var methods = in.readSlice(in.readUnsignedByte());
        boolean password = methods.indexOf(0, methods.writerIndex(), (byte) PASSWORD) >= 0;
        if (password) {
            step = Step.PASSWORD;
            ctx.writeAndFlush(bytes(VERSION, PASSWORD));
            ctx.read();
        } else {
            end(ctx, bytes(VERSION, NO_METHOD));
        }
    }

    private void password(ChannelHandlerContext ctx, ByteBuf in) {
        version(in, 1);
        in.skipBytes(in.readUnsignedByte()); // Whoever it says it is.
        var shown = in.readSlice(in.readUnsignedByte()).toString(StandardCharsets.ISO_8859_1);
        if (Token.equal(shown, token) && service.strangers().know(ctx.channel())) {
            step = Step.REQUEST;
            ctx.writeAndFlush(bytes(1, 0));
            ctx.read();
        } else {
            end(ctx, bytes(1, 1));
        }
    }

    private static void version(ByteBuf in, int wanted) {
        if (in.readUnsignedByte() != wanted) {
            throw new BadRequest("this is not SOCKS 5");
        }
    }

    private void request(ChannelHandlerContext ctx, ByteBuf in) {
        version(in, VERSION);
        int command = in.readUnsignedByte();
        in.skipBytes(1);
        int type = in.readUnsignedByte();
        var host =
                switch (type) {
                    case 1 -> literal(in, 4);
                    case 3 -> name(in);
                    case 4 -> literal(in, 16);
                    default -> null;
                };
        if (host == null) {
            end(ctx, reply(NO_SUCH_ADDRESS));
            return;
        }
        int port = in.readUnsignedShort();
        if (command != CONNECT) {
            end(ctx, reply(NO_SUCH_COMMAND));
        } else if (port == 0) {
            end(ctx, reply(FAILURE));
        } else {
            step = Step.OVER;
            deadline.cancel();
            Passing.judged(service, ctx.channel(), new Destination(host, port), new Told(ctx));
        }
    }

    private static Host literal(ByteBuf in, int length) {
        var bytes = new byte[length];
        in.readBytes(bytes);
        try {
            return new Host.Literal(Dialer.address(InetAddress.getByAddress(bytes)));
        } catch (UnknownHostException e) {
            throw new BadRequest("not an address");
        }
    }

    private static Host name(ByteBuf in) {
        var text = in.readSlice(in.readUnsignedByte()).toString(StandardCharsets.ISO_8859_1);
        if (text.isEmpty() || text.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new BadRequest("not a name");
        }
        try {
            return Host.parseLoose(text, 0);
        } catch (SyntaxException e) {
            throw new BadRequest(e.explanation());
        }
    }

    private void end(ChannelHandlerContext ctx, ByteBuf last) {
        step = Step.OVER;
        deadline.cancel();
        ctx.writeAndFlush(last).addListener(ChannelFutureListener.CLOSE);
    }

    private static ByteBuf reply(int code) {
        return bytes(VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0);
    }

    private static ByteBuf bytes(int... values) {
        var out = Unpooled.buffer(values.length);
        for (int value : values) {
            out.writeByte(value);
        }
        return out;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (step != Step.OVER) {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    /// What a program is told that wants a connection.
    private final class Told implements Passing.Reply {
        private final ChannelHandlerContext ctx;

        Told(ChannelHandlerContext ctx) {
            this.ctx = ctx;
        }

        @Override
        public void open() {
            ctx.writeAndFlush(reply(GRANTED));
            ctx.pipeline().remove(Socks.this);
        }

        @Override
        public void refused(Action action, Reason reason) {
            end(ctx, reply(NOT_ALLOWED));
        }

        @Override
        public void failed(Dialer.Failure failure) {
            end(ctx, reply(UNREACHABLE));
        }
    }
}
