// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.egress.secret.Secrets;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The server's side of a connection that carries requests. A connection is kept for the next
/// request to the same destination.
final class Upstream {
    /// Requests that may be sent a second time if a kept connection turns out to be closed.
    private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS");

    /// How often that is done for one request: a server can end whatever it is sent.
    private static final int MOST_REPEATS = 3;

    private static final long SILENCE = 200; // milliseconds

    private final Service service;
    private final Channel client;
    private final Requests requests;
    private final Servers servers;
    private @Nullable Server server;
    private @Nullable RequestHead head;
    private @Nullable HttpRequest written; // what is sent, secrets and all
    private @Nullable HttpContent body; // the same, if it had to be collected
    private Concealing secrets = Concealing.nothing();
    private long began;
    private long upBefore;
    private long downBefore;
    private int status;
    private int repeats; // of the request at hand
    private boolean answering; // whether the head of the answer has gone to the program
    private AnswerHead.Kind kind = AnswerHead.Kind.ANSWER; // of the answer at hand
    private boolean closes; // whether the end of the answer is the end of the connection
    private boolean serverKeeps;
    private long parts; // of answers that have come

    Upstream(Service service, Channel client, Requests requests, Servers servers) {
        this.service = service;
        this.client = client;
        this.requests = requests;
        this.servers = servers;
    }

    /// Whether it is not up to the network that nothing happens.
    boolean isJudging() {
        return head == null;
    }

    /// Sends `wanted`, which was permitted.
    ///
    /// @param permitted the names of the secrets that may go with it
    void begin(RequestHead wanted, Set<String> permitted) {
        head = wanted;
        began = System.nanoTime();
        status = 0;
        repeats = 0;
        answering = false;
        closes = false;
        body = null;
        secrets = Concealing.nothing();
        var request = wanted.written();
        written = request;
        try {
            secrets = Concealing.begin(service, wanted, request, permitted);
        } catch (Misplaced e) {
            misplaced(e, false);
            return;
        }
        if (secrets.collects()) {
            if (wanted.expectsContinue()) {
                request.headers().remove(HttpHeaderNames.EXPECT);
                client.writeAndFlush(
                        new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
            }
            requests.more();
        } else {
            take(wanted);
        }
    }

    private void take(RequestHead wanted) {
        servers.take(
                wanted.to(),
                wanted.scheme(),
                isRepeatable(wanted),
                new Servers.Taker() {
                    @Override
                    public void taken(Server taken) {
                        if (client.isActive() && wanted.equals(head)) {
                            server = taken;
                            taken.use(new Side(taken.channel()), wanted.isHead());
                            send(taken, wanted);
                        } else {
                            taken.channel().close();
                        }
                    }

                    @Override
                    public void failed(Dialer.Failure failure) {
                        if (!client.isActive() || !wanted.equals(head)) {
                            return;
                        }
                        end();
                        boolean ended = body != null;
                        var answer =
                                failure.refused()
                                        ? Answer.denied(
                                                service.gate().policy(),
                                                wanted.action(),
                                                new Reason(Refusals.ADDRESS, failure.reason(), ""))
                                        : Answer.failed(failure);
                        refuse(answer, ended);
                    }
                });
    }

    private static boolean isRepeatable(RequestHead wanted) {
        return REPEATABLE.contains(wanted.action().method())
                && !wanted.hasBody()
                && !wanted.webSocket();
    }

    private void send(Server to, RequestHead wanted) {
        upBefore = to.counted().up();
        downBefore = to.counted().down();
        var channel = to.channel();
        channel.write(Objects.requireNonNull(written));
        var collected = body;
        if (collected != null) {
            channel.writeAndFlush(collected);
        } else {
            if (wanted.hasBody()) {
                channel.flush();
            }
            requests.more();
        }
        channel.read();
    }

    /// Sends a part of the body of the request.
    void send(HttpContent part, boolean last) {
        var wanted = head;
        var request = written;
        var to = server;
        try {
            if (wanted != null && request != null && secrets.collects() && to == null) {
                if (!requests.holds(part)) {
                    part.release();
                    end();
                    refuse(Answer.tooMuch(), last);
                    return;
                }
                var whole = secrets.collect(part, request);
                part.release();
                if (whole.isPresent()) {
                    body = whole.get();
                    take(wanted);
                } else {
                    requests.more();
                }
                return;
            }
            secrets.look(part);
        } catch (Misplaced e) {
            part.release();
            misplaced(e, last);
            return;
        } catch (BadRequest e) {
            part.release();
            end();
            refuse(Answer.bad(e.getMessage()), last);
            return;
        }
        if (to == null || wanted == null) {
            part.release();
            return;
        }
        if (part instanceof LastHttpContent end && !end.trailingHeaders().isEmpty()) {
            // Nobody has judged them, and a server may take them for headers of the request.
            end.trailingHeaders().clear();
        }
        to.channel().writeAndFlush(part);
        if (!last && to.channel().isWritable()) {
            requests.more();
        }
    }

    /// Nothing more of the request leaves.
    private void misplaced(Misplaced found, boolean ended) {
        var answer = Answer.misplaced(found.refused().reason());
        record(found, Objects.requireNonNull(head));
        boolean begun = answering;
        end();
        drop();
        if (begun) {
            client.close();
        } else {
            refuse(answer, ended);
        }
    }

    private void record(Misplaced found, RequestHead wanted) {
        var refused = found.refused();
        var to = wanted.to();
        service.gate()
                .refused(
                        Secrets.use(refused.secret(), wanted.scheme(), to.host(), to.port()),
                        refused.reason());
    }

    /// @param ended whether nothing more comes of the request
    private void refuse(FullHttpResponse answer, boolean ended) {
        if (ended) {
            requests.answerAndClose(answer);
        } else {
            requests.refuse(answer);
        }
    }

    /// The program can take more.
    void resume() {
        var from = server;
        if (from != null && head != null) {
            from.channel().read();
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
        var old = server;
        server = null;
        if (old != null) {
            old.channel().close();
        }
    }

    /// Writes the exchange down.
    private void end() {
        var wanted = head;
        head = null;
        written = null;
        if (wanted != null) {
            sent(wanted, status).ended(up(), down(), System.nanoTime() - began);
        }
    }

    private long up() {
        return server == null ? 0 : server.counted().up() - upBefore;
    }

    private long down() {
        return server == null ? 0 : server.counted().down() - downBefore;
    }

    private Tunnel.Ending sent(RequestHead wanted, int code) {
        var used = secrets.used();
        return (up, down, nanos) ->
                service.gate()
                        .sent(
                                wanted.action().scheme().word(),
                                wanted.to(),
                                wanted.action().method(),
                                wanted.target(),
                                code,
                                up,
                                down,
                                nanos,
                                used);
    }

    private boolean isFrom(Channel channel) {
        return server != null && server.channel().equals(channel);
    }

    private final class Side implements Server.User {
        private final Channel channel;

        Side(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void came(Object message) {
            if (!isFrom(channel) || head == null || message == Mark.END) {
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
                }
                if (message instanceof HttpContent part) {
                    content(part);
                }
            } catch (BadRequest e) {
                ReferenceCountUtil.release(message);
                broken(e.getMessage());
            } catch (Misplaced e) {
                ReferenceCountUtil.release(message);
                record(e, Objects.requireNonNull(head));
                broken(e.refused().reason().sentence());
            }
            if (isFrom(channel) && client.isWritable()) {
                channel.read();
            }
        }

        @Override
        public void cameAll() {
            client.flush();
        }

        @Override
        public void writable() {
            if (channel.isWritable() && isFrom(channel) && requests.wantsMore()) {
                requests.more();
            }
        }

        @Override
        public void ended() {
            lost();
        }

        @Override
        public void failed() {
            if (isFrom(channel) && head != null) {
                broken("the connection to the server failed");
            } else {
                channel.close();
            }
        }

        /// The server has ended the connection.
        private void lost() {
            channel.close();
            var wanted = head;
            if (!isFrom(channel) || wanted == null) {
                return;
            }
            if (Objects.requireNonNull(server).isKept()
                    && !answering
                    && isRepeatable(wanted)
                    && !requests.wantsMore()
                    && repeats < MOST_REPEATS) {
                repeats++;
                server = null;
                body = LastHttpContent.EMPTY_LAST_CONTENT;
                take(wanted);
            } else {
                broken("the server ended the connection before it had answered");
            }
        }

        private void broken(String reason) {
            boolean begun = answering;
            end();
            drop();
            if (begun) {
                client.close();
            } else {
                requests.answerAndClose(Answer.failed(new Dialer.Failure(false, false, reason)));
            }
        }
    }

    private void answer(HttpResponse answer) {
        var wanted = Objects.requireNonNull(head);
        var read = AnswerHead.read(answer, wanted);
        secrets.answer(read.out().headers());
        kind = read.kind();
        if (isUnknownToProgram(wanted)) {
            return;
        }
        if (kind != AnswerHead.Kind.PRELIMINARY) {
            status = read.out().status().code();
            answering = true;
            serverKeeps = read.serverKeeps();
            closes = read.closes();
            if (Authentication.isOfConnection(Objects.requireNonNull(written), status)) {
                Objects.requireNonNull(server).bind();
            }
        }
        client.write(read.out());
    }

    /// HTTP/1.0 has nothing ahead of an answer.
    private boolean isUnknownToProgram(RequestHead wanted) {
        return kind == AnswerHead.Kind.PRELIMINARY && wanted.isOld();
    }

    private void content(HttpContent part) {
        boolean last = part instanceof LastHttpContent;
        if (isUnknownToProgram(Objects.requireNonNull(head))) {
            part.release();
            return;
        }
        client.write(kind == AnswerHead.Kind.ANSWER ? secrets.masked(part) : part);
        parts++;
        if (!last) {
            if (secrets.keeps()) {
                letGoLater(Objects.requireNonNull(head), parts);
            }
            return;
        }
        switch (kind) {
            case PRELIMINARY -> client.flush();
            case WEB_SOCKET -> becomeTunnel();
            case ANSWER -> {
                boolean whole = !requests.wantsMore();
                end();
                if (serverKeeps && whole) {
                    handBack();
                } else {
                    drop();
                }
                requests.answered(whole && !closes);
            }
        }
    }

    /// If nothing more comes, the program may be expected to speak next.
    private void letGoLater(RequestHead wanted, long seen) {
        var _ =
                client.eventLoop()
                        .schedule(
                                () -> {
                                    if (wanted.equals(head) && seen == parts && secrets.keeps()) {
                                        client.writeAndFlush(secrets.letGo());
                                    }
                                },
                                SILENCE,
                                TimeUnit.MILLISECONDS);
    }

    private void handBack() {
        var free = Objects.requireNonNull(server);
        server = null;
        servers.keep(free);
    }

    /// From here on it is a WebSocket.
    private void becomeTunnel() {
        client.flush();
        var used = Objects.requireNonNull(server);
        var channel = used.channel();
        var wanted = Objects.requireNonNull(head);
        head = null;
        written = null;
        server = null;
        if (!secrets.isNothing()) {
            WebSockets.watch(
                    service.usage(), client, channel, secrets, found -> record(found, wanted));
        }
        Tunnel.join(service, wanted.to(), client, channel, sent(wanted, status));
        used.uninstall();
        requests.uninstall();
        client.read();
    }
}
