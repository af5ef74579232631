// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Scheme;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The server's side of a connection that carries requests. A connection is kept for the next
/// request to the same destination.
final class Upstream {
    /// Requests that may be sent a second time if a kept connection turns out to be closed.
    private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS");

    private final Service service;
    private final Channel client;
    private final Requests requests;
    private @Nullable Channel server;
    private @Nullable Destination connectedTo;
    private @Nullable Traffic traffic;
    private @Nullable RequestHead head;
    private @Nullable Entry entry;
    private long began;
    private long upBefore;
    private long downBefore;
    private int status;
    private boolean answering; // whether the head of the answer has gone to the program
    private boolean informational; // whether the answer at hand is only a preliminary one
    private boolean upgrading; // whether it ends HTTP on this connection
    private boolean closes; // whether the end of the answer is the end of the connection
    private boolean serverKeeps;
    private boolean reused;

    Upstream(Service service, Channel client, Requests requests) {
        this.service = service;
        this.client = client;
        this.requests = requests;
    }

    /// Whether it is not up to the network that nothing happens.
    boolean isJudging() {
        return head == null;
    }

    /// Sends `wanted`, which was permitted.
    void begin(RequestHead wanted, Entry through) {
        head = wanted;
        entry = through;
        began = System.nanoTime();
        status = 0;
        answering = false;
        closes = false;
        var kept = server;
        if (kept != null && kept.isActive() && wanted.to().equals(connectedTo)) {
            reused = true;
            send(kept, wanted);
        } else {
            drop();
            reused = false;
            dial(wanted, through);
        }
    }

    private void dial(RequestHead wanted, Entry through) {
        service.dialer()
                .dial(
                        wanted.to(),
                        client.eventLoop(),
                        new Dialer.Outcome() {
                            @Override
                            public void connected(Channel channel) {
                                if (client.isActive()) {
                                    install(channel, wanted, through);
                                    send(channel, wanted);
                                } else {
                                    channel.close();
                                }
                            }

                            @Override
                            public void failed(Dialer.Failure failure) {
                                if (!client.isActive()) {
                                    return;
                                }
                                end();
                                if (failure.refused()) {
                                    requests.refused(
                                            wanted.action(),
                                            new Reason(Refusals.ADDRESS, failure.reason(), ""));
                                } else {
                                    requests.refuse(Answer.failed(failure));
                                }
                            }
                        });
    }

    private void install(Channel channel, RequestHead wanted, Entry through) {
        server = channel;
        connectedTo = wanted.to();
        traffic = new Traffic(service.usage());
        if (through.scheme() == Scheme.HTTPS) {
            channel.pipeline()
                    .addLast(
                            service.inspection()
                                    .orElseThrow()
                                    .toServer(wanted.to().host(), wanted.to().port()));
        }
        channel.pipeline()
                .addLast(
                        traffic,
                        new HttpClientCodec(
                                new HttpDecoderConfig()
                                        .setMaxInitialLineLength(service.bounds().headBytes())
                                        .setMaxHeaderSize(4 * service.bounds().headBytes())
                                        .setMaxChunkSize(64 * 1024)
                                        .setAllowDuplicateContentLengths(false),
                                false,
                                false),
                        new OneByOne(),
                        new Side(channel));
    }

    private void send(Channel channel, RequestHead wanted) {
        var counted = Objects.requireNonNull(traffic);
        upBefore = counted.up();
        downBefore = counted.down();
        channel.write(wanted.written());
        if (wanted.hasBody()) {
            channel.flush();
        }
        requests.more();
        channel.read();
    }

    /// Sends a part of the body of the request.
    void send(HttpContent part, boolean last) {
        var channel = server;
        if (channel == null || head == null) {
            part.release();
            return;
        }
        if (part instanceof LastHttpContent end && !end.trailingHeaders().isEmpty()) {
            // Nobody has judged them, and a server may take them for headers of the request.
            end.trailingHeaders().clear();
        }
        channel.writeAndFlush(part);
        if (!last && channel.isWritable()) {
            requests.more();
        }
    }

    /// The program can take more.
    void resume() {
        var channel = server;
        if (channel != null && head != null) {
            channel.read();
        }
    }

    /// The program is gone.
    void abort() {
        if (head != null) {
            end();
        }
        drop();
    }

    private void drop() {
        var channel = server;
        server = null;
        if (channel != null) {
            channel.close();
        }
    }

    /// Writes the exchange down.
    private void end() {
        var wanted = head;
        head = null;
        var counted = traffic;
        if (wanted != null) {
            service.gate()
                    .sent(
                            wanted.action().scheme().word(),
                            wanted.to(),
                            wanted.action().method(),
                            wanted.target(),
                            status,
                            counted == null ? 0 : counted.up() - upBefore,
                            counted == null ? 0 : counted.down() - downBefore,
                            System.nanoTime() - began);
        }
    }

    private final class Side extends ChannelInboundHandlerAdapter {
        private final Channel channel;

        Side(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!channel.equals(server) || head == null || message == Mark.END) {
                // An answer that nobody asked for, or none any more.
                ReferenceCountUtil.release(message);
                lost();
                return;
            }
            if (message instanceof HttpObject object && object.decoderResult().isFailure()) {
                ReferenceCountUtil.release(message);
                broken("the server answered something that is not HTTP");
                return;
            }
            try {
                if (message instanceof HttpResponse answer) {
                    answer(answer);
                } else {
                    content((HttpContent) message);
                }
            } catch (BadRequest e) {
                ReferenceCountUtil.release(message);
                broken(e.getMessage());
            }
            if (channel.equals(server) && client.isWritable()) {
                ctx.read();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            client.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (channel.isWritable() && channel.equals(server) && requests.wantsMore()) {
                requests.more();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            lost();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (channel.equals(server) && head != null) {
                broken("the connection to the server failed");
            } else {
                ctx.close();
            }
        }

        /// The server has ended the connection.
        private void lost() {
            channel.close();
            if (!channel.equals(server)) {
                return;
            }
            server = null;
            var wanted = head;
            var through = entry;
            if (wanted == null || through == null) {
                return;
            }
            if (reused
                    && !answering
                    && REPEATABLE.contains(wanted.action().method())
                    && !wanted.hasBody()
                    && !requests.wantsMore()) {
                reused = false;
                dial(wanted, through);
            } else {
                broken("the server ended the connection before it had answered");
            }
        }

        private void broken(String reason) {
            channel.close();
            server = null;
            boolean begun = answering;
            end();
            if (begun) {
                client.close();
            } else {
                requests.answerAndClose(Answer.failed(new Dialer.Failure(false, false, reason)));
            }
        }
    }

    private void answer(HttpResponse answer) {
        var wanted = Objects.requireNonNull(head);
        var code = answer.status();
        upgrading = code.code() == HttpResponseStatus.SWITCHING_PROTOCOLS.code();
        informational = !upgrading && code.codeClass() == HttpStatusClass.INFORMATIONAL;
        if (upgrading
                && !(wanted.webSocket()
                        && "websocket"
                                .equalsIgnoreCase(answer.headers().get(HttpHeaderNames.UPGRADE))
                        && answer.headers().contains(HttpHeaderNames.SEC_WEBSOCKET_ACCEPT))) {
            throw new BadRequest("the server changed to a protocol that nobody had asked for");
        }
        if (informational && wanted.isOld()) {
            return;
        }
        var out = new DefaultHttpResponse(HttpVersion.HTTP_1_1, code);
        HopByHop.copy(answer.headers(), out.headers());
        if (upgrading) {
            out.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            out.headers().set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        } else if (!informational) {
            serverKeeps = HttpUtil.isKeepAlive(answer);
            frame(answer, out, wanted);
        }
        if (!informational) {
            status = code.code();
            answering = true;
        }
        client.write(out);
    }

    /// How the program sees where the answer ends.
    private void frame(HttpResponse answer, HttpResponse out, RequestHead wanted) {
        var encodings = answer.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!encodings.isEmpty()
                && (encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked"))) {
            throw new BadRequest("the server answered in a form that is not understood here");
        }
        int code = answer.status().code();
        boolean bodiless = wanted.isHead() || code == 204 || code == 304;
        if (!encodings.isEmpty()) {
            out.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
        }
        boolean known = out.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
        if (!bodiless && !known) {
            if (wanted.isOld()) {
                closes = true;
            } else {
                out.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
            }
        }
        if (!wanted.keepsAlive() || closes) {
            out.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (wanted.isOld()) {
            out.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
    }

    private void content(HttpContent part) {
        boolean last = part instanceof LastHttpContent;
        var wanted = Objects.requireNonNull(head);
        if (informational && wanted.isOld()) {
            part.release();
            return;
        }
        client.write(part);
        if (!last) {
            return;
        }
        if (informational) {
            client.flush();
        } else if (upgrading) {
            becomeTunnel();
        } else {
            boolean whole = !requests.wantsMore();
            end();
            if (!serverKeeps || !whole) {
                drop();
            }
            requests.answered(whole && !closes);
        }
    }

    /// From here on it is a WebSocket.
    private void becomeTunnel() {
        client.flush();
        var channel = Objects.requireNonNull(server);
        var wanted = Objects.requireNonNull(head);
        int code = status;
        head = null;
        server = null;
        Tunnel.join(
                service,
                client,
                channel,
                (up, down, nanos) ->
                        service.gate()
                                .sent(
                                        wanted.action().scheme().word(),
                                        wanted.to(),
                                        wanted.action().method(),
                                        wanted.target(),
                                        code,
                                        up,
                                        down,
                                        nanos));
        var pipeline = channel.pipeline();
        pipeline.remove(Side.class);
        pipeline.remove(OneByOne.class);
        pipeline.remove(HttpClientCodec.class);
        pipeline.remove(Traffic.class);
        requests.uninstall();
        client.read();
    }
}
