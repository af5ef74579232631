// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Host;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.egress.Resolver;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/// The flag that says where a name leads, the same for every verb with a way out.
final class NameOptions {
    static final Option RESOLVE =
            new Option("resolve", "NAME=ADDRESS", "let this name lead to this address");

    private NameOptions() {}

    /// What the flags say; nothing if there are none.
    static Optional<Resolver> resolver(Arguments arguments) {
        var given = new HashMap<String, List<InetAddress>>();
        for (var flag : arguments.flags()) {
            if (flag.option().equals(RESOLVE)) {
                int equals = flag.value().indexOf('=');
                String name = equals < 0 ? "" : flag.value().substring(0, equals);
                String address = flag.value().substring(equals + 1);
                if (parse(name, flag.value()) instanceof Host.Name host
                        && parse(bracketed(address), flag.value()) instanceof Host.Literal to) {
                    given.computeIfAbsent(host.toString(), _ -> new ArrayList<>())
                            .add(InetAddress.ofLiteral(to.address().toString()));
                } else {
                    throw wrong(flag.value(), "");
                }
            }
        }
        return given.isEmpty()
                ? Optional.empty()
                : Optional.of(Resolver.giving(given, Resolver.system()));
    }

    private static Host parse(String text, String whole) {
        try {
            return Host.parse(text, 0);
        } catch (SyntaxException e) {
            throw wrong(whole, "; " + e.getMessage());
        }
    }

    private static String bracketed(String address) {
        return address.contains(":") && !address.startsWith("[") ? "[" + address + "]" : address;
    }

    private static UsageException wrong(String value, String why) {
        return new UsageException(
                "`--resolve` takes a name and an address: `db.test=127.0.0.1`, not `"
                        + Text.shown(value)
                        + "`"
                        + why);
    }
}
