// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.util.ArrayList;
import java.util.List;

/// Two texts that differ in one place, for people.
final class LineDiff {
    private LineDiff() {}

    /// The lines that go, with a minus, and those that come, with a plus.
    static List<String> of(String before, String after) {
        var old = before.lines().toList();
        var fresh = after.lines().toList();
        int start = 0;
        int most = Math.min(old.size(), fresh.size());
        while (start < most && old.get(start).equals(fresh.get(start))) {
            start++;
        }
        int end = 0;
        while (end < most - start
                && old.get(old.size() - 1 - end).equals(fresh.get(fresh.size() - 1 - end))) {
            end++;
        }
        var lines = new ArrayList<String>();
        old.subList(start, old.size() - end).forEach(l -> lines.add("- " + l));
        fresh.subList(start, fresh.size() - end).forEach(l -> lines.add("+ " + l));
        return lines;
    }
}
