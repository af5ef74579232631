// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/// The strings and keys that blocks refer to by number. Those of the specification come first; each
/// block adds its own. A block that somebody else signed has a table for itself.
final class Symbols {
    static final List<String> DEFAULT =
            List.of(
                    "read",
                    "write",
                    "resource",
                    "operation",
                    "right",
                    "time",
                    "role",
                    "owner",
                    "tenant",
                    "namespace",
                    "user",
                    "team",
                    "service",
                    "admin",
                    "email",
                    "group",
                    "member",
                    "ip_address",
                    "client",
                    "client_ip",
                    "domain",
                    "path",
                    "version",
                    "cluster",
                    "node",
                    "hostname",
                    "nonce",
                    "query");
    private static final int FIRST = 1024;

    private final List<String> strings = new ArrayList<>();
    private final List<PublicKey> keys = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    /// Adds the table of a block that was read.
    ///
    /// @throws BiscuitException if something in it is known already: two numbers for one string of
    /// different blocks would let a later block mean what an earlier one does not
    void add(List<String> more, List<PublicKey> moreKeys) {
        for (var string : new HashSet<>(more)) {
            if (DEFAULT.contains(string) || numbers.containsKey(string)) {
                throw new BiscuitException("a symbol is in two tables");
            }
        }
        for (var string : more) {
            numbers.putIfAbsent(string, FIRST + strings.size());
            strings.add(string);
        }
        for (var key : moreKeys) {
            if (keys.contains(key)) {
                throw new BiscuitException("a key is in two tables");
            }
            keys.add(key);
        }
    }

    String string(long number) {
        if (number >= 0 && number < DEFAULT.size()) {
            return DEFAULT.get((int) number);
        }
        if (number < FIRST || number - FIRST >= strings.size()) {
            throw new BiscuitException("there is no symbol " + Long.toUnsignedString(number));
        }
        return strings.get((int) (number - FIRST));
    }

    PublicKey key(long number) {
        if (number < 0 || number >= keys.size()) {
            throw new BiscuitException("there is no key " + number);
        }
        return keys.get((int) number);
    }

    /// The number of a string, a new one if need be.
    int number(String string) {
        int known = DEFAULT.indexOf(string);
        if (known >= 0) {
            return known;
        }
        var number = numbers.get(string);
        if (number == null) {
            number = FIRST + strings.size();
            numbers.put(string, number);
            strings.add(string);
        }
        return number;
    }

    int number(PublicKey key) {
        if (!keys.contains(key)) {
            keys.add(key);
        }
        return keys.indexOf(key);
    }

    int size() {
        return strings.size();
    }

    int keyCount() {
        return keys.size();
    }

    List<String> stringsFrom(int from) {
        return strings.subList(from, strings.size());
    }

    List<PublicKey> keysFrom(int from) {
        return keys.subList(from, keys.size());
    }
}
