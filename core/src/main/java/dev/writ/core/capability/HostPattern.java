// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Pattern;

/// A set of hosts.
public sealed interface HostPattern {
    /// One host.
    record Exact(Host host) implements HostPattern {
        @Override
        public String toString() {
            return host.toString();
        }
    }

    /// Every name below this one, at any depth; not this one.
    record Below(Host.Name name) implements HostPattern {
        @Override
        public String toString() {
            return "*." + name;
        }
    }

    /// Any name.
    record Any() implements HostPattern {
        @Override
        public String toString() {
            return "*";
        }
    }

    /// Any address and any special name. It cannot be written; a deny of any host includes it.
    record AnySpecial() implements HostPattern {}

    static HostPattern parse(String text, int offset) {
        if (text.isEmpty()) {
            throw SyntaxException.at(offset, "a host is missing", "write it like `example.com`");
        }
        if (text.equals("*")) {
            return new Any();
        }
        if (!text.startsWith("*.")) {
            return new Exact(Host.parse(text, offset));
        }
        if (Host.parse(text.substring(2), offset + 2) instanceof Host.Name name
                && !name.isSpecial()) {
            return new Below(name);
        }
        throw SyntaxException.at(
                offset,
                "a wildcard never reaches this host: `" + Text.shown(text) + "`",
                "name it exactly");
    }

    /// Says the segments of the hosts in this set.
    default void spell(Pattern.Builder out) {
        switch (this) {
            case Exact(var host) -> host.spell(out::literal);
            case Below(var name) -> {
                name.spell(out::literal);
                out.any(Domain.LABEL).many(Domain.LABEL);
            }
            case Any _ -> out.any(Domain.LABEL).many(Domain.LABEL);
            case AnySpecial _ -> out.literal(Host.SPECIAL).any(Domain.ADDRESS);
        }
    }
}
