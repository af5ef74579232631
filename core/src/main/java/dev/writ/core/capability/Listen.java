// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Pattern;
import java.util.List;
import java.util.stream.Stream;

/// To accept connections.
///
/// @param addresses where; none means any address
/// @param port the port, or [#ANY_PORT]
public record Listen(List<Address> addresses, int port) implements Capability {
    static final int ANY_PORT = -1;

    private static final List<Address> LOCALHOST =
            Stream.concat(
                            Address.parsePlainV4("127.0.0.1").stream(),
                            Address.parseV6("::1").stream())
                    .toList();

    public Listen {
        addresses = List.copyOf(addresses);
    }

    static Listen parse(String text, int offset) {
        int colon = colon(text, offset);
        String host = text.substring(0, colon);
        var port = new Target.Part(text.substring(colon + 1), offset + colon + 1);
        return new Listen(
                host.equals("*")
                        ? List.of()
                        : host.equals("localhost") ? LOCALHOST : List.of(address(host, offset)),
                port.text().equals("*") ? ANY_PORT : Target.parsePort(port, 0));
    }

    static int colon(String text, int offset) {
        int colon = text.startsWith("[") ? text.indexOf("]:") + 1 : text.indexOf(':');
        if (colon <= 0) {
            throw SyntaxException.at(
                    offset,
                    "an address and a port are needed: `" + Text.shown(text) + "`",
                    "write it like `" + Kind.LISTEN.example() + "`");
        }
        return colon;
    }

    static Address address(String host, int offset) {
        if (Host.parse(host, offset) instanceof Host.Literal(var address)) {
            return address;
        }
        throw SyntaxException.at(
                offset,
                "not an address: `" + Text.shown(host) + "`",
                "write an address, `localhost`, or `*` for any");
    }

    @Override
    public Kind kind() {
        return Kind.LISTEN;
    }

    @Override
    public List<Pattern> grants() {
        if (addresses.isEmpty()) {
            return List.of(port(Pattern.of("listen").any(Domain.ADDRESS)));
        }
        return addresses.stream()
                .map(a -> port(Pattern.of("listen").literal(a.toString())))
                .toList();
    }

    private Pattern port(Pattern.Builder builder) {
        return (port == ANY_PORT
                        ? builder.any(Domain.PORT)
                        : builder.literal(Integer.toString(port)))
                .build();
    }

    @Override
    public String text(Scope scope) {
        String host =
                addresses.isEmpty()
                        ? "*"
                        : addresses.equals(LOCALHOST)
                                ? "localhost"
                                : new Host.Literal(addresses.getFirst()).toString();
        return "listen:" + host + ":" + (port == ANY_PORT ? "*" : port);
    }
}
