// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Pattern.Item;
import java.util.List;

/// Reads a `net` action: one host, one port, and for a request one method, path and query.
record NetAction(Target target) {
    Action parse() {
        var scheme = target.schemeOrTcp();
        var host = Host.parseLoose(host(), target.host().offset());
        boolean request = scheme.isRequest();
        if (!request
                && (target.methods().isPresent()
                        || target.path().isPresent()
                        || target.query().isPresent())) {
            throw SyntaxException.at(
                    target.host().offset(),
                    "only http, https, ws and wss make requests",
                    "write it like `net:GET=https://HOST/PATH`");
        }
        return request
                ? new Action.Request(scheme, host, port(scheme), method(scheme), path(), query())
                : new Action.Connect(scheme, host, port(scheme));
    }

    static Action.Request request(Scheme scheme, Host host, int port, String method, String text) {
        // In the place of the host stands one that says nothing, so that all the rest is read as
        // it always is.
        var target = Target.parse(scheme.word() + "://h" + text, 0);
        if (!target.host().text().equals("h") || target.port().isPresent()) {
            throw SyntaxException.at(0, "a path begins with `/`", "");
        }
        var action = new NetAction(target);
        return new Action.Request(scheme, host, port, method, action.path(), action.query());
    }

    private String host() {
        String text = target.host().text();
        if (text.isEmpty() || text.indexOf('*') >= 0) {
            throw SyntaxException.at(
                    target.host().offset(),
                    "an action names one exact host: `" + Text.shown(text) + "`",
                    "");
        }
        return text;
    }

    private int port(Scheme scheme) {
        if (target.port().isPresent()) {
            return Target.parsePort(target.port(), 1);
        }
        if (target.scheme().isPresent() && scheme.port() == 0) {
            throw SyntaxException.at(
                    target.host().offset(),
                    "a port is missing",
                    "write `" + scheme.word() + "://HOST:PORT`");
        }
        return scheme.port() == 0 ? Scheme.HTTPS.port() : scheme.port();
    }

    private String method(Scheme scheme) {
        String text = target.methods().text();
        if (!target.methods().isPresent() || text.equals("allow")) {
            return "GET";
        }
        if (scheme.isWebSocket()) {
            throw SyntaxException.at(
                    target.methods().offset(),
                    "a WebSocket request has no method",
                    "leave out `" + Text.shown(text) + "=`");
        }
        if (!text.chars().allMatch(c -> Text.isUpper(c) || c == '-')) {
            throw SyntaxException.at(
                    target.methods().offset(),
                    "an action has one method in capitals: `" + Text.shown(text) + "`",
                    "");
        }
        return text;
    }

    private List<String> path() {
        var part = target.path();
        return part.isPresent()
                ? UrlText.parsePath(part.text(), part.offset(), false).stream()
                        .map(i -> ((Item.Literal) i).segment())
                        .toList()
                : List.of();
    }

    private String query() {
        var part = target.query();
        return part.isPresent()
                ? UrlText.parseQuery(part.text(), part.offset(), false).parts().getFirst()
                : "";
    }
}
