// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.List;
import java.util.Set;

/// The addresses and names that a wildcard never reaches: the machine itself, its neighbours, its
/// cloud. After the IANA special-purpose registries. IPv6 ranges that embed an IPv4 address are
/// special as a whole: the embedded one may be anything.
final class SpecialRanges {
    private record Range(Address first, int bits) {
        boolean contains(Address address) {
            if (address.isV6() != first.isV6()) {
                return false;
            }
            if (!first.isV6()) {
                return (address.low() ^ first.low()) >>> (32 - bits) == 0;
            }
            long high = address.high() ^ first.high();
            long low = address.low() ^ first.low();
            return bits <= 64
                    ? bits == 0 || high >>> (64 - bits) == 0
                    : high == 0 && (bits == 64 || low >>> (128 - bits) == 0);
        }
    }

    private static final List<Range> RANGES =
            List.of(
                    range("0.0.0.0", 8), // this host
                    range("10.0.0.0", 8), // private
                    range("100.64.0.0", 10), // shared by carriers
                    range("127.0.0.0", 8), // loopback
                    range("169.254.0.0", 16), // link-local, cloud metadata
                    range("172.16.0.0", 12), // private
                    range("192.0.0.0", 24), // protocol assignments
                    range("192.0.2.0", 24), // documentation
                    range("192.88.99.0", 24), // 6to4 relay
                    range("192.168.0.0", 16), // private
                    range("198.18.0.0", 15), // benchmarks; our own synthetic addresses
                    range("198.51.100.0", 24), // documentation
                    range("203.0.113.0", 24), // documentation
                    range("224.0.0.0", 4), // multicast
                    range("240.0.0.0", 4), // reserved, broadcast
                    range("168.63.129.16", 32), // cloud host agent
                    range("::", 96), // unspecified, loopback, IPv4-compatible
                    range("64:ff9b::", 96), // NAT64
                    range("64:ff9b:1::", 48), // NAT64, local
                    range("100::", 64), // discard
                    range("2001::", 23), // protocol assignments, Teredo
                    range("2001:db8::", 32), // documentation
                    range("2002::", 16), // 6to4
                    range("3fff::", 20), // documentation
                    range("5f00::", 16), // segment routing
                    range("fc00::", 7), // private, cloud metadata
                    range("fe80::", 10), // link-local
                    range("fec0::", 10), // site-local
                    range("ff00::", 8)); // multicast

    /// These and everything below them.
    private static final Set<String> NAMES =
            Set.of(
                    "localhost",
                    "metadata.google.internal",
                    "metadata.goog",
                    "instance-data.ec2.internal",
                    "instance-data");

    private SpecialRanges() {}

    private static Range range(String first, int bits) {
        return new Range(
                Address.parsePlainV4(first).or(() -> Address.parseV6(first)).orElseThrow(), bits);
    }

    static boolean contain(Address address) {
        return RANGES.stream().anyMatch(r -> r.contains(address));
    }

    static boolean containName(String name) {
        return NAMES.contains(name) || NAMES.stream().anyMatch(n -> name.endsWith("." + n));
    }
}
