// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

/// What a server answers, written anew for the program.
///
/// @param kind what it is the beginning of
/// @param out as the program gets it
/// @param serverKeeps whether the server takes another request on this connection
/// @param closes whether the end of the answer is the end of the program's connection
record AnswerHead(Kind kind, HttpResponse out, boolean serverKeeps, boolean closes) {
    enum Kind {
        /// Only something ahead of the answer.
        PRELIMINARY,
        ANSWER,
        /// HTTP ends on this connection, and a WebSocket begins.
        WEB_SOCKET
    }

    /// @throws BadRequest if it is none to that request
    static AnswerHead read(HttpResponse answer, RequestHead wanted) {
        if (answer.status().code() < 100 || answer.status().code() > 999) {
            throw new BadRequest("the server answered with a status that is none");
        }
        // What the server calls it is not passed on.
        var code = HttpResponseStatus.valueOf(answer.status().code());
        boolean upgrading = code.equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
        boolean preliminary = !upgrading && code.codeClass() == HttpStatusClass.INFORMATIONAL;
        if (upgrading && !isWebSocket(answer, wanted)) {
            throw new BadRequest("the server changed to a protocol that nobody had asked for");
        }
        var out = new DefaultHttpResponse(HttpVersion.HTTP_1_1, code);
        HopByHop.copy(answer.headers(), out.headers());
        if (upgrading) {
            out.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            out.headers().set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
            return new AnswerHead(Kind.WEB_SOCKET, out, false, false);
        }
        if (preliminary) {
            return new AnswerHead(Kind.PRELIMINARY, out, false, false);
        }
        boolean closes = frame(answer, out, wanted);
        return new AnswerHead(
                Kind.ANSWER, out, HttpUtil.isKeepAlive(answer) && hasEnd(answer, wanted), closes);
    }

    private static boolean isBodiless(HttpResponse answer, RequestHead wanted) {
        int code = answer.status().code();
        return wanted.isHead() || code == 204 || code == 304;
    }

    /// Whether it says where it ends. Otherwise it ends with the connection.
    private static boolean hasEnd(HttpResponse answer, RequestHead wanted) {
        return isBodiless(answer, wanted)
                || answer.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
                || answer.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
    }

    private static boolean isWebSocket(HttpResponse answer, RequestHead wanted) {
        return wanted.webSocket()
                && "websocket".equalsIgnoreCase(answer.headers().get(HttpHeaderNames.UPGRADE))
                && answer.headers().contains(HttpHeaderNames.SEC_WEBSOCKET_ACCEPT);
    }

    /// How the program sees where the answer ends.
    ///
    /// @return whether by the end of the connection
    private static boolean frame(HttpResponse answer, HttpResponse out, RequestHead wanted) {
        var encodings = answer.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!encodings.isEmpty()
                && (encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked"))) {
            throw new BadRequest("the server answered in a form that is not understood here");
        }
        boolean bodiless = isBodiless(answer, wanted);
        if (!encodings.isEmpty()) {
            out.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
        }
        boolean known = out.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
        boolean closes = !bodiless && !known && wanted.isOld();
        if (!bodiless && !known && !closes) {
            out.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
        if (!wanted.keepsAlive() || closes) {
            out.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (wanted.isOld()) {
            out.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        return closes;
    }
}
