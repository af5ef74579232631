// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The program's side of a connection that carries requests: takes one after the other, has it
/// judged, and lets it through.
final class Requests extends ChannelInboundHandlerAdapter {
    private static final int MOST_THROWN_AWAY = 1024 * 1024;

    private final Service service;
    private final Entry entry;
    private final RequestDecoder decoder;
    private final ResponseEncoder encoder = new ResponseEncoder();
    private final Upstream upstream;
    private @Nullable ChannelHandlerContext context;
    private final Deadline deadline = new Deadline();
    private State state = State.HEAD;
    private @Nullable RequestHead head;
    private @Nullable ToolCalls tools; // and the body that they are in, until it is sent
    private int thrownAway;
    private int held; // bytes of the body that are kept
    private boolean inputEnded;

    private enum State {
        /// The next thing is a request.
        HEAD,
        /// Others have the word: the broker, the server.
        WAITING,
        /// What comes belongs to a request that was permitted.
        BODY,
        /// The same, but it is judged by all that comes.
        WHOLE_BODY,
        /// What comes belongs to a request that was not.
        REFUSED_BODY
    }

    private Requests(Service service, Channel client, Entry entry, Servers servers) {
        this.service = service;
        this.entry = entry;
        this.decoder = new RequestDecoder(service.bounds().headBytes());
        this.upstream = new Upstream(service, client, this, servers);
    }

    /// Makes `client` carry requests.
    static void install(Channel client, Service service, Entry entry) {
        var requests = new Requests(service, client, entry, new Servers(service, client, false));
        client.pipeline()
                .addLast(
                        idle(service),
                        requests.decoder,
                        requests.encoder,
                        new OneByOne(),
                        requests);
    }

    /// Makes `stream` carry one request.
    static void install(Channel stream, Service service, Entry entry, Servers servers) {
        stream.pipeline()
                .addLast(
                        idle(service),
                        new StreamCodec(true),
                        new OneByOne(),
                        new Requests(service, stream, entry, servers));
    }

    private static IdleStateHandler idle(Service service) {
        return new IdleStateHandler(
                0, 0, service.bounds().idleRequests().toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Takes out of the pipeline what [#install] has put there; bytes that were not looked at go on
    /// to whoever is behind it.
    void uninstall() {
        deadline.cancel();
        var pipeline = ctx().pipeline();
        pipeline.remove(this);
        pipeline.remove(OneByOne.class);
        pipeline.remove(IdleStateHandler.class);
        pipeline.remove(encoder);
        pipeline.remove(decoder);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        deadline.set(ctx, service.bounds().firstBytes());
        ctx.read();
    }

    private ChannelHandlerContext ctx() {
        return Objects.requireNonNull(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message == Mark.END) {
            ended();
        } else if (message instanceof BadRequest bad) {
            answerAndClose(Answer.bad(bad.getMessage()));
        } else if (message instanceof HttpContent content && content.decoderResult().isFailure()) {
            content.release();
            upstream.abort();
            answerAndClose(Answer.bad("the body of the request cannot be read"));
        } else {
            switch (state) {
                case HEAD -> {
                    if (message instanceof HttpRequest request) {
                        begin(request);
                    } else {
                        ReferenceCountUtil.release(message);
                        ctx.close();
                    }
                }
                case BODY -> {
                    boolean last = message instanceof LastHttpContent;
                    if (last) {
                        state = State.WAITING;
                    }
                    upstream.send((HttpContent) message, last);
                }
                case WHOLE_BODY -> collect((HttpContent) message, Objects.requireNonNull(tools));
                case REFUSED_BODY -> throwAway((HttpContent) message);
                case WAITING -> {
                    // Nobody asked for it.
                    ReferenceCountUtil.release(message);
                    ctx.close();
                }
            }
        }
    }

    private void ended() {
        inputEnded = true;
        switch (state) {
            case HEAD, WHOLE_BODY, REFUSED_BODY -> ctx().close();
            case BODY -> {
                upstream.abort();
                ctx().close();
            }
            case WAITING -> {}
        }
    }

    private void begin(HttpRequest request) {
        deadline.met();
        state = State.WAITING;
        try {
            if (request.decoderResult().isFailure()) {
                throw new BadRequest("this request cannot be read");
            }
            if (entry.token().isPresent() && !Token.isShown(request, entry.token().get())) {
                answerAndClose(Answer.unknown());
            } else if (entry.token().isPresent() && !service.strangers().know(ctx().channel())) {
                ctx().close();
            } else if (entry.to().isEmpty() && request.method().equals(HttpMethod.CONNECT)) {
                connect(request);
            } else {
                judge(RequestHead.read(request, entry));
            }
        } catch (BadRequest e) {
            answerAndClose(Answer.bad(e.getMessage()));
        }
    }

    private void judge(RequestHead wanted) {
        head = wanted;
        encoder.toHead(wanted.isHead());
        permission(wanted).judge(() -> permitted(wanted));
    }

    private Permission permission(RequestHead wanted) {
        return new Permission(service, ctx().channel(), wanted, this::refuse);
    }

    private void permitted(RequestHead wanted) {
        if (!ToolCalls.mayBeIn(service, wanted)) {
            useSecrets(wanted);
            return;
        }
        try {
            tools = new ToolCalls(wanted);
        } catch (BadRequest e) {
            refuse(Answer.bad(e.getMessage()));
            return;
        }
        if (wanted.expectsContinue()) {
            wanted.request().headers().remove(HttpHeaderNames.EXPECT);
            ctx().writeAndFlush(
                            new DefaultFullHttpResponse(
                                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
        }
        deadline.set(ctx(), service.bounds().idleRequests());
        state = State.WHOLE_BODY;
        ctx().read();
    }

    /// Collects the body until it can be said which tools it calls.
    private void collect(HttpContent part, ToolCalls calls) {
        boolean last = part instanceof LastHttpContent;
        try {
            if (!holds(part)) {
                refuseBody(Answer.tooMuch(), last);
                return;
            }
            calls.add(part.content());
            if (!last) {
                ctx().read();
                return;
            }
            deadline.cancel();
            state = State.WAITING;
            var wanted = calls.wanted();
            permission(wanted).judgeTools(calls, calls.read(), () -> useSecrets(wanted));
        } catch (BadRequest e) {
            refuseBody(Answer.bad(e.getMessage()), last);
        } finally {
            part.release();
        }
    }

    /// @param last whether nothing more comes of it
    private void refuseBody(FullHttpResponse answer, boolean last) {
        tools = null;
        release();
        if (last) {
            answer(answer);
        } else {
            refuse(answer);
        }
    }

    /// Whether this part of a body may be kept, too, until its request is over.
    boolean holds(HttpContent part) {
        int bytes = part.content().readableBytes();
        boolean may = service.usage().hold(bytes);
        if (may) {
            held += bytes;
        }
        return may;
    }

    private void release() {
        service.usage().release(held);
        held = 0;
    }

    private void useSecrets(RequestHead wanted) {
        permission(wanted).judgeSecrets(permitted -> upstream.begin(wanted, permitted));
    }

    /// Wants the body of the request that was permitted.
    void more() {
        var collected = tools;
        if (collected != null) {
            tools = null;
            var whole = new DefaultLastHttpContent(collected.body());
            // ORDER: whoever wants it has something to do first.
            ctx().executor().execute(() -> upstream.send(whole, true));
            return;
        }
        if (state == State.WAITING) {
            state = State.BODY;
        }
        ctx().read();
    }

    boolean wantsMore() {
        return state == State.BODY;
    }

    /// Answers a request that goes no further. Its body is read all the same, if it is small:
    /// otherwise the program would often not see the answer.
    void refuse(FullHttpResponse answer) {
        var wanted = head;
        if (tools != null) {
            tools = null; // it was read already
            answer(answer);
            return;
        }
        if (wanted == null || wanted.expectsContinue() || !wanted.keepsAlive() || inputEnded) {
            answerAndClose(answer);
            return;
        }
        ctx().writeAndFlush(answer);
        thrownAway = 0;
        state = State.REFUSED_BODY;
        ctx().read();
    }

    /// Answers a request that was read to its end.
    private void answer(FullHttpResponse answer) {
        var wanted = head;
        if (wanted == null || !wanted.keepsAlive() || inputEnded) {
            answerAndClose(answer);
        } else {
            ctx().writeAndFlush(answer);
            next();
        }
    }

    private void throwAway(HttpContent content) {
        thrownAway += content.content().readableBytes();
        boolean last = content instanceof LastHttpContent;
        content.release();
        if (last) {
            next();
        } else if (thrownAway > MOST_THROWN_AWAY) {
            ctx().close();
        } else {
            ctx().read();
        }
    }

    /// The answer is complete; another request may follow.
    void answered(boolean reusable) {
        var wanted = head;
        if (!reusable
                || wanted == null
                || !wanted.keepsAlive()
                || state != State.WAITING
                || inputEnded) {
            ctx().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        } else {
            ctx().flush();
            next();
        }
    }

    private void next() {
        release();
        head = null;
        state = State.HEAD;
        deadline.set(ctx(), service.bounds().idleRequests());
        try {
            decoder.next();
        } catch (Exception e) {
            ctx().close();
            return;
        }
        ctx().read();
    }

    void answerAndClose(FullHttpResponse answer) {
        deadline.cancel();
        state = State.WAITING;
        answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        ctx().writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }

    private void connect(HttpRequest request) {
        if (request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)
                || request.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
            throw new BadRequest("a CONNECT has no body");
        }
        var hosts = request.headers().getAll(HttpHeaderNames.HOST);
        var to = Destination.parse(request.uri(), 0);
        if (hosts.size() > 1
                || (hosts.size() == 1
                        && !Destination.parse(hosts.getFirst(), to.port()).equals(to))) {
            throw new BadRequest("the request is for " + to + ", but its Host is another");
        }
        // ORDER: the end of this request comes first, and is no part of what follows.
        var channel = ctx().channel();
        ctx().executor().execute(() -> Passing.judged(service, channel, to, new Connected()));
    }

    /// What a program is told that wants a connection.
    private final class Connected implements Passing.Reply {
        @Override
        public void open() {
            var channel = ctx().channel();
            uninstall();
            channel.writeAndFlush(
                    Unpooled.copiedBuffer(
                            "HTTP/1.1 200 Connection established\r\n\r\n",
                            StandardCharsets.US_ASCII));
        }

        @Override
        public void refused(Action action, Reason reason) {
            answerAndClose(Answer.denied(service.gate().policy(), action, reason));
        }

        @Override
        public void failed(Dialer.Failure failure) {
            answerAndClose(Answer.failed(failure));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            upstream.resume();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == Mark.HEAD_BEGAN) {
            if (state == State.HEAD) {
                deadline.set(ctx, service.bounds().head());
            }
        } else if (event instanceof IdleStateEvent && !upstream.isJudging()) {
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        deadline.cancel();
        release();
        upstream.abort();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
