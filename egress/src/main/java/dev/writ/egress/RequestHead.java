// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scheme;
import dev.writ.core.capability.Text;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a request wants: one reading of it, to be judged and, if permitted, written anew from that
/// reading; of a path there may be two, see [Readings]. Nothing of how it was spelled gets out.
///
/// @param readings what has to be permitted
/// @param target path and query as they are sent
/// @param webSocket whether it wants to become a WebSocket
record RequestHead(
        HttpRequest request,
        Destination to,
        List<Action.Request> readings,
        String target,
        boolean webSocket,
        boolean hasBody) {
    /// Headers by which some servers take a request for another one than its first line says.
    private static final Set<String> OVERRIDES =
            Set.of(
                    "x-http-method-override",
                    "x-http-method",
                    "x-method-override",
                    "x-method",
                    "x-original-method",
                    "x-original-url",
                    "x-rewrite-url",
                    "x-original-uri",
                    "x-original-host",
                    "x-http-host-override",
                    "x-override-url",
                    "x-http-path-override",
                    "x-http-destinationurl");

    /// Headers that say where a request begins and ends, how it is to be read, or for whom it is.
    private static final Set<String> FRAMING =
            Set.of(
                    "connection",
                    "content-encoding",
                    "content-length",
                    "content-type",
                    "expect",
                    "host",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    private static final int LONGEST_METHOD = 32;

    /// @throws BadRequest if it has no one meaning, or is for somebody else than it says
    static RequestHead read(HttpRequest request, Entry entry) {
        if (request.decoderResult().isFailure()) {
            throw new BadRequest("this request cannot be read");
        }
        var headers = request.headers();
        String method = method(request);
        int minor = version(request);
        int rest = 0;
        String said = "";
        String uri = request.uri();
        var to = entry.to();
        if (!uri.startsWith("/")) {
            String start = entry.scheme().word() + "://";
            if (!uri.regionMatches(true, 0, start, 0, start.length())) {
                throw new BadRequest("the target must be a path or begin with " + start);
            }
            rest = authorityEnd(uri, start.length());
            said = uri.substring(start.length(), rest);
            var named = authority(said, entry.scheme());
            if (to.isPresent() && !to.get().equals(named)) {
                throw new BadRequest("this connection is for " + to.get() + ", not for " + named);
            }
            to = Optional.of(named);
        }
        var destination =
                to.orElseThrow(
                        () ->
                                new BadRequest(
                                        "this is a proxy: the target must be absolute, like http://HOST/PATH"));
        host(headers, destination, said, entry.scheme(), minor);
        checkHeaders(headers);
        boolean webSocket = isWebSocket(headers, method);
        var readings =
                Readings.of(
                        webSocket ? webSocket(entry.scheme()) : entry.scheme(),
                        destination,
                        method,
                        uri.substring(rest));
        boolean hasBody =
                HttpUtil.isTransferEncodingChunked(request)
                        || HttpUtil.getContentLength(request, 0L) > 0;
        if (webSocket && hasBody) {
            throw new BadRequest("a request for a WebSocket has no body");
        }
        return new RequestHead(
                request, destination, readings.all(), target(readings, uri), webSocket, hasBody);
    }

    private static String method(HttpRequest request) {
        String method = request.method().name();
        if (method.length() > LONGEST_METHOD
                || !Text.isAll(method, c -> (c >= 'A' && c <= 'Z') || c == '-')) {
            throw new BadRequest("not a method: " + BadRequest.shown(method));
        }
        if (method.equals("TRACE") || method.equals("TRACK") || method.equals("CONNECT")) {
            throw new BadRequest(method + " is not for servers behind this proxy");
        }
        return method;
    }

    private static int version(HttpRequest request) {
        var version = request.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            throw new BadRequest("not a version of HTTP that is spoken here");
        }
        return version.minorVersion();
    }

    private static int authorityEnd(String uri, int from) {
        int end = from;
        while (end < uri.length() && "/?#\\".indexOf(uri.charAt(end)) < 0) {
            end++;
        }
        return end;
    }

    private static Destination authority(String text, Scheme scheme) {
        if (text.indexOf('@') >= 0) {
            throw new BadRequest("a URL with user information is refused");
        }
        return Destination.parse(text, scheme.port());
    }

    /// All that say for whom a request is must say the same.
    ///
    /// @param said how the target spells it, which need not be read twice; empty if it does not
    private static void host(
            HttpHeaders headers, Destination to, String said, Scheme scheme, int minor) {
        var hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.size() > 1 || (hosts.isEmpty() && minor > 0)) {
            throw new BadRequest("a request has one Host");
        }
        if (!hosts.isEmpty()
                && (said.isEmpty() || !hosts.getFirst().equals(said))
                && !authority(hosts.getFirst(), scheme).equals(to)) {
            throw new BadRequest(
                    "the request is for "
                            + to
                            + ", but its Host is "
                            + BadRequest.shown(hosts.getFirst()));
        }
    }

    private static void checkHeaders(HttpHeaders headers) {
        for (var header : headers) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            String variable = asVariable(name);
            if (OVERRIDES.contains(variable)) {
                throw new BadRequest(
                        "a request must not say that it is another one: "
                                + BadRequest.shown(header.getKey()));
            }
            if (FRAMING.contains(variable) && !variable.equals(name)) {
                throw new BadRequest(
                        "some servers take this header for another one: "
                                + BadRequest.shown(header.getKey()));
            }
        }
        var encodings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        boolean chunked =
                encodings.size() == 1
                        && encodings
                                .getFirst()
                                .equalsIgnoreCase(HttpHeaderValues.CHUNKED.toString());
        if (!encodings.isEmpty() && !chunked) {
            throw new BadRequest("the only Transfer-Encoding is chunked");
        }
        var lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
        if (lengths.size() > 1 || (chunked && !lengths.isEmpty())) {
            throw new BadRequest("a request has one length");
        }
        if (!lengths.isEmpty() && !isNumber(lengths.getFirst())) {
            throw new BadRequest("a Content-Length is a plain number");
        }
        var expects = headers.getAll(HttpHeaderNames.EXPECT);
        if (!expects.isEmpty()
                && (expects.size() > 1
                        || !expects.getFirst()
                                .equalsIgnoreCase(HttpHeaderValues.CONTINUE.toString()))) {
            throw new BadRequest("nothing but 100-continue can be expected");
        }
    }

    /// As programs see a name that get headers in variables (CGI, WSGI): whatever is no letter and
    /// no digit is the same there.
    private static String asVariable(String name) {
        if (Text.isAll(name, c -> c == '-' || isOfVariable(c))) {
            return name; // as nearly all are
        }
        var out = new StringBuilder(name);
        for (int i = 0; i < out.length(); i++) {
            if (!isOfVariable(out.charAt(i))) {
                out.setCharAt(i, '-');
            }
        }
        return out.toString();
    }

    private static boolean isOfVariable(int c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty()
                && text.length() <= 18
                && Text.isAll(text, c -> c >= '0' && c <= '9');
    }

    private static boolean isWebSocket(HttpHeaders headers, String method) {
        return method.equals("GET")
                && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && headers.getAll(HttpHeaderNames.UPGRADE).size() == 1
                && "websocket".equalsIgnoreCase(headers.get(HttpHeaderNames.UPGRADE));
    }

    private static Scheme webSocket(Scheme scheme) {
        return scheme == Scheme.HTTPS ? Scheme.WSS : Scheme.WS;
    }

    /// As it was judged, but for a slash at its end: rules do not see it, servers do.
    private static String target(Readings readings, String uri) {
        String target = readings.target();
        int question = uri.indexOf('?');
        boolean slash = (question < 0 ? uri : uri.substring(0, question)).endsWith("/");
        if (!slash || readings.all().getFirst().path().isEmpty()) {
            return target;
        }
        int at = target.indexOf('?');
        return at < 0 ? target + "/" : target.substring(0, at) + "/" + target.substring(at);
    }

    /// The request as it is sent.
    HttpRequest written() {
        var out = new DefaultHttpRequest(HttpVersion.HTTP_1_1, request.method(), target);
        var scheme = action().scheme();
        var headers = out.headers();
        headers.set("Host", to.port() == scheme.port() ? to.host().toString() : to.toString());
        HopByHop.copy(request.headers(), headers);
        if (HttpUtil.isTransferEncodingChunked(request)) {
            headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
        if (webSocket) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        }
        return out;
    }

    /// Two that say the same are two.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /// The first reading: in all but the path they are alike.
    Action.Request action() {
        return readings.getFirst();
    }

    /// How the server is spoken to.
    Scheme scheme() {
        return switch (action().scheme()) {
            case WSS -> Scheme.HTTPS;
            case WS -> Scheme.HTTP;
            default -> action().scheme();
        };
    }

    boolean isHead() {
        return action().method().equals("HEAD");
    }

    boolean isOld() {
        return request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    }

    boolean keepsAlive() {
        return HttpUtil.isKeepAlive(request)
                && !request.headers()
                        .containsValue("Proxy-Connection", HttpHeaderValues.CLOSE, true);
    }

    boolean expectsContinue() {
        return request.headers().contains(HttpHeaderNames.EXPECT);
    }
}
