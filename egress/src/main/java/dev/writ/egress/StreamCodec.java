// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.EmptyHttp2Headers;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/// One stream of HTTP/2 as the messages of HTTP/1.1 that the rest is written for: one request, and
/// its answer.
final class StreamCodec extends ChannelDuplexHandler implements Counted {
    private final boolean toProgram;
    private @Nullable Http2Headers pending; // a head that may turn out to be all there is
    private @Nullable ChannelFuture latest; // of what was written
    private boolean begun; // whether the other side's head has come
    private boolean inputEnded;
    private boolean outputEnded;
    private boolean preliminary; // whether what is being written is only ahead of the answer
    private boolean bodiless; // whether the answer has no body, whatever it says
    private long up;
    private long down;

    /// @param toProgram whether requests come in; otherwise they go out
    StreamCodec(boolean toProgram) {
        this.toProgram = toProgram;
    }

    @Override
    public long up() {
        return up;
    }

    @Override
    public long down() {
        return down;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            switch (message) {
                case Http2HeadersFrame head -> head(ctx, head);
                case Http2DataFrame data -> {
                    down += data.content().readableBytes();
                    inputEnded |= data.isEndStream();
                    ctx.fireChannelRead(
                            data.isEndStream()
                                    ? new DefaultLastHttpContent(data.content())
                                    : new DefaultHttpContent(data.content()));
                }
                default -> ReferenceCountUtil.release(message);
            }
        } catch (BadRequest e) {
            ctx.fireChannelRead(toProgram ? e : StreamHeads.unreadable());
        }
    }

    private void head(ChannelHandlerContext ctx, Http2HeadersFrame frame) {
        var headers = frame.headers();
        boolean last = frame.isEndStream();
        down += StreamHeads.size(headers);
        inputEnded |= last;
        if (begun) {
            if (!last) {
                throw new BadRequest("trailers are the last of a message");
            }
            ctx.fireChannelRead(StreamHeads.trailers(headers));
        } else if (toProgram) {
            begun = true;
            var request = StreamHeads.request(headers, last);
            bodiless = request.method().name().equals("HEAD");
            ctx.fireChannelRead(request);
            if (last) {
                ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
            }
        } else {
            var answer = StreamHeads.answer(headers, last);
            begun = !isPreliminary(answer);
            ctx.fireChannelRead(answer);
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        switch (message) {
            case HttpResponse answer -> {
                pending = StreamHeads.of(answer);
                preliminary = isPreliminary(answer);
                if (preliminary) {
                    writePending(ctx);
                }
            }
            case HttpRequest request -> pending = StreamHeads.of(request);
            default -> {}
        }
        if (message instanceof HttpContent part) {
            write(ctx, part, promise);
        } else {
            ReferenceCountUtil.release(message);
            afterAll(promise);
        }
    }

    private static boolean isPreliminary(HttpResponse answer) {
        return answer.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    /// Whoever waits for something that is no frame waits for all that was written before.
    private void afterAll(ChannelPromise promise) {
        var before = latest;
        if (before == null) {
            promise.setSuccess();
        } else {
            before.addListener(_ -> promise.trySuccess());
        }
    }

    private void write(ChannelHandlerContext ctx, HttpContent part, ChannelPromise promise) {
        boolean last = part instanceof LastHttpContent;
        boolean empty = bodiless || !part.content().isReadable();
        var trailers =
                part instanceof LastHttpContent end
                        ? StreamHeads.of(end.trailingHeaders())
                        : EmptyHttp2Headers.INSTANCE;
        var head = pending;
        if (preliminary || (empty && !last)) {
            preliminary = preliminary && !last;
            part.release();
            afterAll(promise);
        } else if (empty && trailers.isEmpty() && head != null) {
            part.release();
            pending = null;
            write(ctx, head, true, promise);
        } else {
            writePending(ctx);
            if (!empty || trailers.isEmpty()) {
                var content = empty ? Unpooled.EMPTY_BUFFER : part.content().retain();
                boolean end = last && trailers.isEmpty();
                up += content.readableBytes();
                outputEnded |= end;
                latest =
                        ctx.write(
                                new DefaultHttp2DataFrame(content, end),
                                end || !last ? promise : ctx.newPromise());
            }
            part.release();
            if (!trailers.isEmpty()) {
                write(ctx, trailers, true, promise);
            }
        }
    }

    private void writePending(ChannelHandlerContext ctx) {
        var head = pending;
        if (head != null) {
            pending = null;
            write(ctx, head, false, ctx.newPromise());
        }
    }

    private void write(
            ChannelHandlerContext ctx, Http2Headers headers, boolean end, ChannelPromise promise) {
        up += StreamHeads.size(headers);
        outputEnded |= end;
        latest = ctx.write(new DefaultHttp2HeadersFrame(headers, end), promise);
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        writePending(ctx);
        ctx.flush();
    }

    /// A program that has its answer need not say the rest.
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (toProgram && outputEnded && !inputEnded) {
            ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.NO_ERROR));
        }
        ctx.close(promise);
    }

    /// What a program has done wrong ends its stream by itself, with a reason, and is counted by
    // it.
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!toProgram || !(cause instanceof Http2Exception)) {
            ctx.fireExceptionCaught(cause);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        // What a server has said before is still heard.
        if (event instanceof Http2ResetFrame && toProgram) {
            inputEnded = true;
            ctx.close();
        }
        ctx.fireUserEventTriggered(event);
    }
}
