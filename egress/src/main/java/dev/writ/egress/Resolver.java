// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Finds the addresses of a name. May wait.
public interface Resolver {
    List<InetAddress> resolve(String name) throws UnknownHostException;

    /// Whether it was the operator who said where `name` leads. Whoever says so has named that
    /// address, be it one of this machine.
    default boolean isGiven(String name) {
        return false;
    }

    /// All that the operator said, as `NAME=ADDRESS`, in order.
    default List<String> given() {
        return List.of();
    }

    /// As this machine does it for every program.
    static Resolver system() {
        return name -> List.of(InetAddress.getAllByName(name));
    }

    /// For these names what the operator says, for others `otherwise`.
    ///
    /// @param given addresses by name, in its normal form
    static Resolver giving(Map<String, List<InetAddress>> given, Resolver otherwise) {
        var known = Map.copyOf(given);
        return new Resolver() {
            @Override
            public List<InetAddress> resolve(String name) throws UnknownHostException {
                var addresses = known.get(name);
                return addresses == null ? otherwise.resolve(name) : addresses;
            }

            @Override
            public boolean isGiven(String name) {
                return known.containsKey(name) || otherwise.isGiven(name);
            }

            @Override
            public List<String> given() {
                return Stream.concat(
                                known.entrySet().stream().flatMap(Resolver::words),
                                otherwise.given().stream())
                        .sorted()
                        .toList();
            }
        };
    }

    private static Stream<String> words(Map.Entry<String, List<InetAddress>> given) {
        return given.getValue().stream().map(a -> given.getKey() + "=" + a.getHostAddress());
    }
}
