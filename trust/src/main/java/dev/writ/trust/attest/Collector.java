// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import dev.writ.core.audit.AuditEvent;
import dev.writ.trust.attest.AgentRun.Gap;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.Value;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Listens to the events of one session, and says at the end what can be attested. Takes bounded
/// memory, whatever an agent does. What was not seen is a gap, never a guess.
public final class Collector {
    private static final int MOST_NOTED = 64;

    private final String session;
    private final Bounded refused = new Bounded(500);
    private final Bounded answers = new Bounded(500);
    private final Bounded files = new Bounded(10_000);
    private final Bounded egress = new Bounded(1_000);
    private final Bounded limits = new Bounded(100);
    private final Bounded tokens = new Bounded(MOST_NOTED);
    private final List<Gap> gaps = new ArrayList<>();
    private @Nullable Event opened;
    private @Nullable Event closed;
    private @Nullable Instant first;
    private @Nullable Instant last;
    private long permittedCount;
    private long refusedCount;
    private long askedCount;
    private long processes;
    private long unknown;

    /// @param session whose events count; others pass by
    public Collector(String session) {
        this.session = session;
    }

    public synchronized void add(Event event) {
        if (!event.session().equals(session)) {
            return;
        }
        first = first == null || event.at().isBefore(first) ? event.at() : first;
        last = last == null || event.at().isAfter(last) ? event.at() : last;
        var kind = event.kind();
        if (kind.isEmpty()) {
            unknown++;
            return;
        }
        switch (kind.get()) {
            case OPENED -> opened = opened == null ? event : opened;
            case CLOSED -> closed = event;
            case JUDGED -> judged(event);
            case ASKED -> askedCount++;
            case ANSWERED ->
                    answers.count(some(event, "action", "rule", "source", "answer", "by", "term"));
            case STARTED -> processes++;
            case EXITED, ANCHORED -> {}
            case LIMIT ->
                    limits.latest(
                            event.get("limit"), some(event, "limit", "source", "ended", "times"));
            case WEAKER ->
                    gap(
                            event.text("guarantee"),
                            event.text("what") + "; accepted by " + event.text("by"));
            case TOKEN_USED -> tokens.latest(event.get("token"), some(event, "token", "holder"));
            case TOKEN_REVOKED ->
                    gap(
                            "token",
                            "`" + event.text("token") + "` holds no more: " + event.text("why"));
            case EGRESS -> egress(event);
            case WRITTEN -> files.latest(event.get("path"), some(event, "path", "size", "sha256"));
        }
    }

    private void judged(Event event) {
        if (event.is("permitted")) {
            permittedCount++;
        } else {
            refusedCount++;
            refused.count(some(event, "action", "rule", "source", "code", "reason"));
        }
    }

    private void egress(Event event) {
        var destination = new LinkedHashMap<String, @Nullable Object>();
        destination.put(
                "destination",
                event.text("scheme") + "://" + event.text("host") + ":" + event.number("port"));
        destination.put("secret", event.text("secret"));
        egress.add(
                destination,
                Map.of("requests", 1L, "up", event.number("up"), "down", event.number("down")));
    }

    /// How much has been heard of so far.
    public synchronized AuditEvent.Counts counts() {
        return new AuditEvent.Counts(permittedCount, refusedCount, askedCount, processes);
    }

    /// What can be said, with `log` if the session is in one.
    public synchronized AgentRun run(String version, Optional<AgentRun.LogRange> log) {
        var all = new ArrayList<>(gaps);
        if (opened == null) {
            all.add(new Gap("beginning", "nobody saw how the session was opened"));
        } else {
            opened.list("guarantees").forEach(g -> guarantee(g, all));
        }
        if (closed == null) {
            all.add(new Gap("end", "nobody saw how the session was closed"));
        }
        if (unknown > 0) {
            all.add(new Gap("events", unknown + " are of kinds that are not known here"));
        }
        if (log.isEmpty()) {
            all.add(new Gap("log", "no checkpoint covers this session"));
        }
        leftOut("refused", refused, all);
        leftOut("answers", answers, all);
        leftOut("files", files, all);
        leftOut("egress", egress, all);
        leftOut("limits", limits, all);
        leftOut("tokens", tokens, all);
        long unread =
                files.listing().listed().stream()
                        .filter(f -> !(f.get("sha256") instanceof String s && !s.isEmpty()))
                        .count();
        if (unread > 0) {
            all.add(new Gap("files", "the contents of " + unread + " are not known"));
        }
        return new AgentRun(
                session,
                first == null ? Instant.EPOCH : first,
                last == null ? Instant.EPOCH : last,
                closed == null ? "incomplete" : closed.text("outcome"),
                closed == null || closed.text("outcome").equals("incomplete")
                        ? Optional.empty()
                        : Optional.of(closed.number("exit")),
                version,
                opening("command", List.of()),
                opening("folder", ""),
                Value.shown(opening("policy", "")),
                opening("source", ""),
                isolation(),
                limits.listing().listed(),
                new AgentRun.Counts(permittedCount, refusedCount, askedCount, processes),
                refused.listing(),
                answers.listing(),
                files.listing(),
                egress.listing(),
                tokens.listing().listed(),
                log,
                all);
    }

    private Object opening(String field, Object otherwise) {
        var value = opened == null ? null : opened.get(field);
        return value == null ? otherwise : value;
    }

    private AgentRun.Isolation isolation() {
        return opened == null
                ? new AgentRun.Isolation("", "", List.of(), List.of(), Map.of())
                : new AgentRun.Isolation(
                        opened.text("backend"),
                        opened.text("isolation"),
                        opened.list("guarantees"),
                        opened.list("weaker"),
                        opened.get("kernel") instanceof Map<?, ?> kernel ? kernel : Map.of());
    }

    private static void guarantee(@Nullable Object guarantee, List<Gap> gaps) {
        if (!(guarantee instanceof Map<?, ?> map)) {
            gaps.add(new Gap("guarantees", "one cannot be read"));
            return;
        }
        String name = Value.shown(map.get("name"));
        switch (Value.shown(map.get("by"))) {
            case "broker" -> {}
            case "kernel" ->
                    gaps.add(
                            new Gap(
                                    name,
                                    "decided by the kernel alone, so not recorded one by one"));
            default -> gaps.add(new Gap(name, "not enforced: " + Value.shown(map.get("why"))));
        }
    }

    private static void leftOut(String what, Bounded list, List<Gap> gaps) {
        if (list.leftOut() > 0) {
            gaps.add(new Gap(what, list.leftOut() + " events are counted and not listed"));
        }
    }

    private void gap(String what, String why) {
        if (gaps.size() < MOST_NOTED) {
            gaps.add(new Gap(what, why));
        }
    }

    private static Map<String, @Nullable Object> some(Event event, String... names) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        for (var name : names) {
            map.put(name, event.get(name));
        }
        return map;
    }
}
