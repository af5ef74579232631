// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Glob;
import dev.writ.core.pattern.Pattern;
import dev.writ.core.pattern.Pattern.Item;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/// To connect out. With a method, a path or a query, only as inspected HTTP requests.
///
/// @param methods the methods; none means any
/// @param scheme how; a bare host is [Scheme#TCP]
/// @param port one port, [#ANY_PORT], or [#USUAL_PORTS]
/// @param path the segments of the path; [#ANY_PATH] if it is not named
/// @param query what the query must look like; [Glob#ANY] if it is not named
public record Net(
        Set<String> methods, Scheme scheme, HostPattern host, int port, List<Item> path, Glob query)
        implements Capability {
    static final int ANY_PORT = -1;

    /// The ports of a bare host: 80 and 443 in an allow, every one in a deny.
    static final int USUAL_PORTS = -2;

    /// No path is named: any will do, and nobody needs to look.
    static final List<Item> ANY_PATH = List.of();

    private static final Glob HTTP_OR_HTTPS = new Glob(List.of("http", ""));
    private static final Glob WS_OR_WSS = new Glob(List.of("ws", ""));

    /// RFC 9110 and the registered methods that are in use.
    private static final List<String> METHODS =
            List.of(
                    "GET",
                    "HEAD",
                    "POST",
                    "PUT",
                    "PATCH",
                    "DELETE",
                    "OPTIONS",
                    "TRACE",
                    "QUERY",
                    "PROPFIND",
                    "PROPPATCH",
                    "MKCOL",
                    "COPY",
                    "MOVE",
                    "LOCK",
                    "UNLOCK",
                    "REPORT",
                    "SEARCH",
                    "MKACTIVITY",
                    "CHECKOUT",
                    "MERGE");

    public Net {
        methods = Collections.unmodifiableSet(new TreeSet<>(methods));
        path = List.copyOf(path);
    }

    static Net parse(String text, int offset) {
        var target = Target.parse(text, offset);
        var scheme = target.schemeOrTcp();
        var methods = parseMethods(target.methods());
        if (!methods.isEmpty() && !scheme.isHttp()) {
            throw SyntaxException.at(
                    target.methods().offset(),
                    "a method needs `https://` or `http://`",
                    "write it like `" + Kind.NET.example() + "`");
        }
        if (!scheme.isRequest() && (target.path().isPresent() || target.query().isPresent())) {
            throw SyntaxException.at(
                    Math.max(target.path().offset(), target.query().offset()),
                    "only http, https, ws and wss have a path",
                    "leave it out, or use `https://`");
        }
        int port = parsePort(target, scheme);
        var path =
                target.path().text().length() > 1
                        ? UrlText.parsePath(target.path().text(), target.path().offset(), true)
                        : ANY_PATH;
        var query =
                target.query().isPresent()
                        ? UrlText.parseQuery(target.query().text(), target.query().offset(), true)
                        : Glob.ANY;
        return new Net(
                methods,
                scheme,
                HostPattern.parse(target.host().text(), target.host().offset()),
                port,
                path,
                query);
    }

    private static Set<String> parseMethods(Target.Part part) {
        var methods = new TreeSet<String>();
        if (!part.isPresent() || part.text().equals("allow")) {
            return methods;
        }
        for (var method : part.text().split(",", -1)) {
            if (method.isEmpty()
                    || method.equals("ALLOW")
                    || !method.chars().allMatch(c -> Text.isUpper(c) || c == '-')) {
                throw SyntaxException.at(
                        part.offset(),
                        "not a method: `" + Text.shown(method) + "`",
                        method.equalsIgnoreCase("allow")
                                ? "write `allow=` for any method"
                                : Nearest.suggestion(method.toUpperCase(Locale.ROOT), METHODS));
            }
            methods.add(method);
        }
        return methods;
    }

    private static int parsePort(Target target, Scheme scheme) {
        if (!target.port().isPresent()) {
            if (!target.scheme().isPresent()) {
                return USUAL_PORTS;
            }
            if (scheme.port() == 0) {
                throw SyntaxException.at(
                        target.host().offset(),
                        "`" + scheme.word() + "` has no usual port",
                        "name one: `" + scheme.word() + "://HOST:PORT`");
            }
            return scheme.port();
        }
        return target.port().text().equals("*") ? ANY_PORT : Target.parsePort(target.port(), 1);
    }

    /// Methods that are in no register, and so probably a slip.
    public List<String> unusualMethods() {
        return methods.stream().filter(m -> !METHODS.contains(m)).toList();
    }

    @Override
    public Kind kind() {
        return Kind.NET;
    }

    /// Whether requests must be looked at to honour this capability.
    public boolean isInspected() {
        return !methods.isEmpty()
                || !path.equals(ANY_PATH)
                || !query.equals(Glob.ANY)
                || scheme.isWebSocket();
    }

    /// Whether it opens a port of its own choice for whatever bytes.
    public boolean isForAnyBytes() {
        return scheme == Scheme.TCP && port != USUAL_PORTS;
    }

    @Override
    public List<Pattern> grants() {
        var patterns = new ArrayList<Pattern>();
        boolean udp = scheme == Scheme.UDP;
        for (int p : port == USUAL_PORTS ? new int[] {443, 80} : new int[] {port}) {
            if (!isInspected()) {
                patterns.add(destination(udp ? "udp" : "tcp", p).literal("connect").build());
            }
            if (!udp) {
                patterns.addAll(requests(p, schemes()));
            }
        }
        return patterns;
    }

    /// The schemes granted; empty for all.
    private List<Scheme> schemes() {
        if (!scheme.isRequest()) {
            return List.of();
        }
        return isInspected() ? List.of(scheme) : List.of(scheme, scheme.webSocket());
    }

    /// A deny reads on bare connections of either transport, which could carry what it denies; one
    /// without a request part reads on every scheme; one of any host reads on addresses, too.
    @Override
    public List<Pattern> forbids() {
        var patterns = new ArrayList<Pattern>();
        int denied = port == USUAL_PORTS ? ANY_PORT : port;
        patterns.add(destination("udp", denied).literal("connect").build());
        if (scheme != Scheme.UDP) {
            patterns.add(destination("tcp", denied).literal("connect").build());
            patterns.addAll(requests(denied, isInspected() ? schemes() : List.of()));
        }
        if (host instanceof HostPattern.Any) {
            patterns.addAll(
                    new Net(methods, scheme, new HostPattern.AnySpecial(), port, path, query)
                            .forbids());
        }
        return patterns;
    }

    private List<Pattern> requests(int port, List<Scheme> schemes) {
        var patterns = new ArrayList<Pattern>();
        if (schemes.isEmpty()) {
            patterns.add(
                    request(
                            destination("tcp", port)
                                    .one(HTTP_OR_HTTPS, Domain.SCHEME)
                                    .any(Domain.METHOD)));
            patterns.add(request(destination("tcp", port).one(WS_OR_WSS, Domain.SCHEME)));
        }
        for (var s : schemes) {
            if (s.isWebSocket()) {
                patterns.add(request(destination("tcp", port).literal(s.word())));
            } else if (methods.isEmpty()) {
                patterns.add(
                        request(destination("tcp", port).literal(s.word()).any(Domain.METHOD)));
            }
            for (var method : methods) {
                patterns.add(request(destination("tcp", port).literal(s.word()).literal(method)));
            }
        }
        return patterns;
    }

    private Pattern request(Pattern.Builder start) {
        var named = path.equals(ANY_PATH) ? start.many(Domain.URL) : start.items(path);
        return named.end().one(query, Domain.QUERY).build();
    }

    private Pattern.Builder destination(String transport, int port) {
        var builder = Pattern.of(Kind.NET.word()).literal(transport);
        host.spell(builder);
        builder.end();
        return port == ANY_PORT
                ? builder.any(Domain.PORT)
                : builder.literal(Integer.toString(port));
    }

    @Override
    public String text(Scope scope) {
        var out = new StringBuilder("net:");
        if (!methods.isEmpty()) {
            out.append(String.join(",", methods)).append('=');
        } else if (scheme.isHttp()) {
            out.append("allow=");
        }
        if (scheme != Scheme.TCP) {
            out.append(scheme.word()).append("://");
        }
        out.append(host);
        if (port != USUAL_PORTS && port != scheme.port()) {
            out.append(':').append(port == ANY_PORT ? "*" : port);
        }
        if (!path.equals(ANY_PATH)) {
            out.append(UrlText.printPath(path));
        }
        if (!query.equals(Glob.ANY)) {
            out.append('?').append(UrlText.print(query));
        }
        return out.toString();
    }
}
