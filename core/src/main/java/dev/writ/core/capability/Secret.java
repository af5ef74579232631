// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Pattern;
import java.util.List;

/// To use a secret on a destination, never to see it.
public record Secret(String name, Scheme scheme, HostPattern host, int port) implements Capability {
    static Secret parse(String text, int offset) {
        int at = text.indexOf('@');
        if (at < 0) {
            throw SyntaxException.at(
                    offset,
                    "a secret needs its destination",
                    "write it like `" + Kind.SECRET.example() + "`");
        }
        String name = text.substring(0, at);
        checkName(name, offset);
        var target = Target.parse(text.substring(at + 1), offset + at + 1);
        return parse(name, target, HostPattern.parse(target.host().text(), target.host().offset()));
    }

    static void checkName(String name, int offset) {
        if (name.isEmpty()
                || !name.chars()
                        .allMatch(
                                c ->
                                        c < 128
                                                && (Character.isLetterOrDigit(c)
                                                        || "._-".indexOf(c) >= 0))) {
            throw SyntaxException.at(
                    offset,
                    "not a secret's name: `" + Text.shown(name) + "`",
                    "use letters, digits, `.`, `_`, `-`");
        }
    }

    private static Secret parse(String name, Target target, HostPattern host) {
        var scheme = target.schemeOrTcp();
        if (!scheme.isHttp()
                || target.methods().isPresent()
                || target.path().text().length() > 1
                || target.query().isPresent()) {
            throw SyntaxException.at(
                    target.host().offset(),
                    "a secret is bound to `https://HOST` or `http://HOST`, nothing more",
                    "write it like `" + Kind.SECRET.example() + "`");
        }
        if (host instanceof HostPattern.Any) {
            throw SyntaxException.at(
                    target.host().offset(), "a secret cannot go to any host", "name the host");
        }
        int port = target.port().isPresent() ? Target.parsePort(target.port(), 1) : scheme.port();
        return new Secret(name, scheme, host, port);
    }

    @Override
    public Kind kind() {
        return Kind.SECRET;
    }

    @Override
    public List<Pattern> grants() {
        var builder = Pattern.of("secret").literal(name).literal(scheme.word());
        host.spell(builder);
        return List.of(builder.end().literal(Integer.toString(port)).build());
    }

    @Override
    public String text(Scope scope) {
        return "secret:"
                + name
                + "@"
                + scheme.word()
                + "://"
                + host
                + (port == scheme.port() ? "" : ":" + port);
    }
}
