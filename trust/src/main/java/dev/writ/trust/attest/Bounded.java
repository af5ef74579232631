// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import dev.writ.trust.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A list of things that an agent causes: only so many, only so much, and the rest is counted.
final class Bounded {
    private static final long MOST_BYTES = 2 * 1024 * 1024;

    private final int most;
    private final Map<Object, Map<String, @Nullable Object>> items = new LinkedHashMap<>();
    private long bytes;
    private long leftOut;

    Bounded(int most) {
        this.most = most;
    }

    /// One more of these.
    void count(Map<String, @Nullable Object> item) {
        add(item, Map.of("times", 1L));
    }

    /// One more of these, whose `amounts` add up.
    void add(Map<String, @Nullable Object> item, Map<String, Long> amounts) {
        var known = items.get(item);
        if (known == null) {
            var first = new LinkedHashMap<String, @Nullable Object>(item);
            first.putAll(amounts);
            put(item, first);
            return;
        }
        amounts.forEach(
                (name, amount) ->
                        known.merge(
                                name, amount, (a, b) -> Math.min(Json.MOST, (Long) a + (Long) b)));
    }

    /// What is now true of `key`.
    void latest(@Nullable Object key, Map<String, @Nullable Object> item) {
        put(key == null ? "" : key, item);
    }

    private void put(Object key, Map<String, @Nullable Object> item) {
        if (items.containsKey(key)) {
            items.put(key, item);
            return;
        }
        long size = Json.canonical(item).length;
        if (items.size() == most || bytes + size > MOST_BYTES) {
            leftOut++;
            return;
        }
        bytes += size;
        items.put(key, item);
    }

    long leftOut() {
        return leftOut;
    }

    /// What is there now; it does not change with what comes later.
    AgentRun.Listing listing() {
        var listed = new ArrayList<Map<String, @Nullable Object>>();
        for (var item : items.values()) {
            listed.add(
                    Collections.unmodifiableMap(new LinkedHashMap<String, @Nullable Object>(item)));
        }
        return new AgentRun.Listing(listed, leftOut);
    }
}
