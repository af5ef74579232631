// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import dev.writ.conformance.corpus.Group;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// What a run found.
///
/// @param brokenControls allowed things that did not work, each with its reason
/// @param mayRefuse whether a launcher that lets nothing start is right to do so
public record Report(
        String launcher,
        String user,
        String system,
        List<Group> groups,
        List<Result> results,
        List<String> brokenControls,
        boolean mayRefuse,
        Duration time) {
    public Report {
        groups = List.copyOf(groups);
        results = List.copyOf(results);
        brokenControls = List.copyOf(brokenControls);
    }

    public Map<Verdict, Integer> counts() {
        var counts = new EnumMap<Verdict, Integer>(Verdict.class);
        for (var verdict : Verdict.values()) {
            counts.put(verdict, 0);
        }
        results.forEach(r -> counts.merge(r.verdict(), 1, Integer::sum));
        return counts;
    }

    public List<Result> of(Group group) {
        return results.stream().filter(r -> r.test().group().equals(group.letter())).toList();
    }

    /// Whether nothing escaped, nothing failed and the controls held.
    public boolean isGood() {
        return (brokenControls.isEmpty() || mayRefuse)
                && results.stream()
                        .map(Result::verdict)
                        .noneMatch(v -> v == Verdict.ESCAPE || v == Verdict.ERROR);
    }
}
