// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What is attested about one session. What an agent could choose stands here as in events: too
/// long, hidden or no text, something stands for it.
///
/// @param outcome as the event `closed` has it; `incomplete` if nobody saw the end
/// @param exitCode empty if nobody saw the end
/// @param version of Writ
/// @param command the words of the program; empty if nobody saw the beginning
/// @param policy the digest of the policy
/// @param source where the policy came from
/// @param limits those that were reached
/// @param refused what was refused, by which rule, how often
/// @param answers what the operator was asked, and who said what for how long
/// @param files what was written: `path`, `size`, `sha256` (empty if not known)
/// @param egress destinations with requests, bytes and the names of secrets
/// @param tokens which gave rights, outermost first
/// @param log where all of it can be looked up
/// @param gaps what was not enforced, not seen or not listed
public record AgentRun(
        String session,
        Instant started,
        Instant finished,
        String outcome,
        Optional<Long> exitCode,
        String version,
        Object command,
        Object folder,
        String policy,
        Object source,
        Isolation isolation,
        List<Map<String, @Nullable Object>> limits,
        Counts counts,
        Listing refused,
        Listing answers,
        Listing files,
        Listing egress,
        List<Map<String, @Nullable Object>> tokens,
        Optional<LogRange> log,
        List<Gap> gaps) {
    public AgentRun {
        limits = List.copyOf(limits);
        tokens = List.copyOf(tokens);
        gaps = List.copyOf(gaps);
    }

    /// What the session was kept from.
    ///
    /// @param requested what was asked for
    /// @param guarantees each with `name`, `by` and `why`
    /// @param acceptedWeaker guarantees that the operator did without
    /// @param kernel what the machine offered
    public record Isolation(
            String backend,
            String requested,
            List<?> guarantees,
            List<?> acceptedWeaker,
            Map<?, ?> kernel) {}

    /// How much happened, as far as it was recorded.
    public record Counts(long permitted, long refused, long asked, long processes) {}

    /// Some of many.
    ///
    /// @param leftOut how many events are not in the list
    public record Listing(List<Map<String, @Nullable Object>> listed, long leftOut) {
        public Listing {
            listed = List.copyOf(listed);
        }

        Map<String, Object> json() {
            return Map.of("listed", listed, "leftOut", leftOut);
        }
    }

    /// The part of a log that this session is.
    ///
    /// @param checkpoint the whole signed note, which covers `last`
    public record LogRange(String origin, long first, long last, String checkpoint) {}

    /// Something that this attestation does not say.
    public record Gap(String what, String why) {}

    /// The predicate.
    Map<String, Object> json() {
        var run = new LinkedHashMap<String, Object>();
        run.put("id", session);
        run.put("startedOn", started.toString());
        run.put("finishedOn", finished.toString());
        run.put("outcome", outcome);
        exitCode.ifPresent(code -> run.put("exitCode", code));
        var out = new LinkedHashMap<String, Object>();
        out.put("run", run);
        out.put("runtime", Map.of("id", "https://writ.dev/writ", "version", version));
        out.put("command", command);
        out.put("folder", folder);
        out.put("policy", Map.of("digest", Map.of("sha256", policy), "source", source));
        out.put(
                "isolation",
                Map.of(
                        "backend", isolation.backend(),
                        "requested", isolation.requested(),
                        "guarantees", isolation.guarantees(),
                        "acceptedWeaker", isolation.acceptedWeaker(),
                        "kernel", isolation.kernel()));
        out.put("limitsReached", limits);
        out.put(
                "counts",
                Map.of(
                        "permitted", counts.permitted(),
                        "refused", counts.refused(),
                        "asked", counts.asked(),
                        "processes", counts.processes()));
        out.put("refused", refused.json());
        out.put("answers", answers.json());
        out.put("filesWritten", files.json());
        out.put("egress", egress.json());
        out.put("tokens", tokens);
        log.ifPresent(
                range ->
                        out.put(
                                "log",
                                Map.of(
                                        "origin", range.origin(),
                                        "first", range.first(),
                                        "last", range.last(),
                                        "checkpoint", range.checkpoint())));
        out.put("gaps", gaps.stream().map(g -> Map.of("what", g.what(), "why", g.why())).toList());
        return out;
    }
}
