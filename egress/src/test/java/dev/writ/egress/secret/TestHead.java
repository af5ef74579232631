// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// The head of a request that is on no wire.
final class TestHead implements Head {
    private final Map<String, List<String>> fields = new LinkedHashMap<>();
    private String target;

    TestHead(String target, String... lines) {
        this.target = target;
        for (var line : lines) {
            int colon = line.indexOf(": ");
            set(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    List.of(line.substring(colon + 2)));
        }
    }

    @Override
    public String target() {
        return target;
    }

    @Override
    public void target(String to) {
        target = to;
    }

    @Override
    public Set<String> names() {
        return fields.keySet();
    }

    @Override
    public List<String> all(String name) {
        return fields.getOrDefault(name, List.of());
    }

    @Override
    public void set(String name, List<String> values) {
        if (values.isEmpty()) {
            fields.remove(name);
        } else {
            fields.put(name, values);
        }
    }
}
