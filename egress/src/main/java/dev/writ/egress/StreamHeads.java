// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/// Heads of HTTP/2 as those of HTTP/1.1, and the other way round (RFC 9113, 8.2 and 8.3). What
/// HTTP/1.1 could read in another way is refused.
final class StreamHeads {
    /// What belongs to a connection, and not to a stream of it.
    private static final Set<String> OF_CONNECTIONS =
            Set.of(
                    "connection",
                    "proxy-connection",
                    "keep-alive",
                    "transfer-encoding",
                    "upgrade",
                    "http2-settings");

    private static final Set<String> OF_REQUESTS =
            Set.of(":method", ":path", ":scheme", ":authority");
    private static final Set<String> OF_ANSWERS = Set.of(":status");

    private StreamHeads() {}

    /// @param last whether it has no body
    /// @throws BadRequest if it cannot be one of HTTP/1.1
    static HttpRequest request(Http2Headers in, boolean last) {
        String path = one(in, ":path");
        if (!one(in, ":scheme").equals("https")) {
            throw new BadRequest("the scheme of a request on this connection is https");
        }
        if (!path.startsWith("/") || !path.chars().allMatch(c -> c > ' ' && c <= '~')) {
            throw new BadRequest("the path of a request begins with a slash, and is printable");
        }
        try {
            var out =
                    new DefaultHttpRequest(
                            HttpVersion.HTTP_1_1, HttpMethod.valueOf(one(in, ":method")), path);
            var headers = out.headers();
            copy(in, OF_REQUESTS, headers);
            if (in.authority() != null) {
                String authority = one(in, ":authority");
                if (headers.contains(HttpHeaderNames.HOST)
                        && !headers.getAll(HttpHeaderNames.HOST).stream()
                                .allMatch(authority::equals)) {
                    throw new BadRequest("the request says two hosts");
                }
                headers.set(HttpHeaderNames.HOST, authority);
            }
            // A stream is for one request.
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            if (!last && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
                headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
            }
            return out;
        } catch (IllegalArgumentException e) {
            throw new BadRequest("this request cannot be read");
        }
    }

    /// @param last whether it has no body
    /// @throws BadRequest if it cannot be one of HTTP/1.1
    static HttpResponse answer(Http2Headers in, boolean last) {
        String code = one(in, ":status");
        if (!code.matches("[1-5][0-9][0-9]")) {
            throw new BadRequest("not a status: " + BadRequest.shown(code));
        }
        var status = HttpResponseStatus.valueOf(Integer.parseInt(code));
        boolean preliminary = status.codeClass() == HttpStatusClass.INFORMATIONAL;
        if (preliminary && last) {
            throw new BadRequest("an answer is missing");
        }
        try {
            var out =
                    preliminary || last
                            ? new DefaultFullHttpResponse(
                                    HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER)
                            : new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
            copy(in, OF_ANSWERS, out.headers());
            return out;
        } catch (IllegalArgumentException e) {
            throw new BadRequest("this answer cannot be read");
        }
    }

    /// What is understood as an answer that is none.
    static HttpResponse unreadable() {
        var answer = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        answer.setDecoderResult(DecoderResult.failure(new BadRequest("unreadable")));
        return answer;
    }

    static LastHttpContent trailers(Http2Headers in) {
        try {
            var out = new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER);
            copy(in, Set.of(), out.trailingHeaders());
            return out;
        } catch (IllegalArgumentException e) {
            throw new BadRequest("these trailers cannot be read");
        }
    }

    private static String one(Http2Headers in, String name) {
        var values = in.getAll(name);
        if (values.size() != 1) {
            throw new BadRequest("a head has one " + name);
        }
        return values.getFirst().toString();
    }

    /// @param pseudo those with a colon that there may be, and that are read elsewhere
    private static void copy(Http2Headers in, Set<String> pseudo, HttpHeaders out) {
        for (var header : in) {
            String name = header.getKey().toString();
            String value = header.getValue().toString();
            if (pseudo.contains(name)) {
                continue;
            }
            if (name.startsWith(":")) {
                throw new BadRequest(BadRequest.shown(name) + " does not belong there");
            }
            if (OF_CONNECTIONS.contains(name) || !name.equals(name.toLowerCase(Locale.ROOT))) {
                throw new BadRequest("HTTP/2 has no header " + BadRequest.shown(name));
            }
            if (!value.chars().allMatch(c -> (c >= ' ' && c != 0x7F) || c == '\t')) {
                throw new BadRequest("a control character in the head of a request");
            }
            if (name.equals("cookie") && out.contains(name)) {
                out.set(name, out.get(name) + "; " + value);
            } else {
                out.add(name, value);
            }
        }
    }

    static Http2Headers of(HttpRequest request) {
        var out = of(request.headers());
        // They are passed on, and gRPC wants to hear that.
        out.set("te", "trailers");
        return out.method(request.method().name())
                .scheme("https")
                .authority(Objects.requireNonNull(request.headers().get(HttpHeaderNames.HOST)))
                .path(request.uri());
    }

    static Http2Headers of(HttpResponse answer) {
        return of(answer.headers()).status(answer.status().codeAsText());
    }

    static Http2Headers of(HttpHeaders headers) {
        var out = new DefaultHttp2Headers(false);
        for (var header : headers) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!OF_CONNECTIONS.contains(name) && !name.equals("host")) {
                out.add(name, header.getValue());
            }
        }
        return out;
    }

    /// About as much as it takes.
    static int size(Http2Headers headers) {
        int size = 0;
        for (var header : headers) {
            size += header.getKey().length() + header.getValue().length();
        }
        return size;
    }
}
