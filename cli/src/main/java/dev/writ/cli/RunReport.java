// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.core.policy.Explanation;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.sandbox.ReachedLimit;
import dev.writ.runtime.JsonLog;
import dev.writ.runtime.Refusals;
import dev.writ.runtime.Refusals.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a person and a model get to know about a run: what was refused, by which rule, how often,
/// and the one line that would allow it. Nothing, if nothing was refused.
final class RunReport implements AuditLog, AutoCloseable {
    private static final int MOST_LINES = 8;

    /// As many in one place are one line.
    private static final int MANY = 4;

    private static final FilePath PROCESSES = FilePath.of("/proc");

    private final Policy policy;
    private final World world;
    private final boolean atOnce;
    private final Refusals refusals = new Refusals();
    private final Map<Rule, AuditEvent.LimitReached> limits = new LinkedHashMap<>();
    private @Nullable String ended;
    private @Nullable GivenFile file;
    private @Nullable Writer writer;
    private @Nullable JsonLog json;

    /// @param atOnce whether each refusal is said when it happens
    RunReport(Policy policy, World world, boolean atOnce) {
        this.policy = policy;
        this.world = world;
        this.atOnce = atOnce;
    }

    /// Writes every verdict to `given` as well.
    void writeTo(GivenFile given) {
        var out = given.writer();
        file = given;
        writer = out;
        json = new JsonLog(out);
    }

    @Override
    public void append(AuditEvent event) {
        if (json != null) {
            write(event, json);
        }
        refusals.append(event);
        if (event instanceof AuditEvent.LimitReached reached) {
            synchronized (limits) {
                limits.put(reached.rule(), reached);
            }
        }
        if (event instanceof AuditEvent.TokenRevoked revoked) {
            synchronized (limits) {
                ended = revoked.why();
            }
        }
        if (atOnce && event instanceof AuditEvent.Judged judged && !judged.permitted()) {
            world.err()
                    .println(
                            "writ: refused: "
                                    + Text.shown(judged.action().text(policy.scope()))
                                    + ": "
                                    + judged.reason());
        }
    }

    /// What has ended cannot be refused any more; that the file is not whole is said at the end.
    private void write(AuditEvent event, JsonLog log) {
        try {
            log.append(event);
        } catch (UncheckedIOException e) {
            if (!(event instanceof AuditEvent.Closed)) {
                throw unwritten(Objects.requireNonNull(e.getCause()));
            }
        }
    }

    /// Says what was refused. The start of a program has been said where it happened.
    @Override
    public void close() {
        var all = refusals.all().stream().filter(r -> !isStart(r)).toList();
        if (!all.isEmpty() && !atOnce) {
            world.err()
                    .println(
                            "writ: refused "
                                    + (all.size() == 1 ? "one thing:" : all.size() + " things:"));
            var alike =
                    all.stream()
                            .collect(groupingBy(RunReport::place, LinkedHashMap::new, toList()));
            alike.values().stream().limit(MOST_LINES).forEach(this::say);
            int left = alike.values().stream().skip(MOST_LINES).mapToInt(List::size).sum();
            if (left > 0) {
                world.err().println("  and " + left + " more; `--json FILE` has them all");
            }
        }
        sayLimits();
        closeFile();
    }

    private void sayLimits() {
        synchronized (limits) {
            for (var limit : limits.values()) {
                var reached = new ReachedLimit(limit.rule(), limit.ended(), limit.times());
                world.err().println("writ: limit reached: " + reached.line());
            }
            if (ended != null) {
                world.err().println("writ: everything was ended: " + Text.shown(ended));
            }
        }
    }

    private static boolean isStart(Refusal refusal) {
        return refusal.action() instanceof Action.StartProgram;
    }

    /// Where it was refused. Names that somebody makes up, one after the other, are in one place,
    /// and so are the processes of others to who looks for their own.
    private static Object place(Refusal refusal) {
        if (!(refusal.action() instanceof Action.OnPath on) || on.path().segments().isEmpty()) {
            return refusal.action();
        }
        var path = on.path();
        boolean process = path.segments().size() > 2 && path.startsWith(PROCESSES);
        return List.of(on.kind(), process ? "process" : path.parent());
    }

    private void say(List<Refusal> alike) {
        if (alike.size() < MANY) {
            alike.forEach(this::say);
            return;
        }
        var first = alike.getFirst();
        String suggestion = Explanation.of(policy, first.action()).suggestion();
        world.err()
                .println(
                        "  "
                                + Text.shown(first.action().text(policy.scope()))
                                + " and "
                                + (alike.size() - 1)
                                + " like it: "
                                + first.reason()
                                + (suggestion.isEmpty()
                                        ? ""
                                        : "; to change that for the first: " + suggestion));
    }

    private void say(Refusal refusal) {
        var why = Explanation.of(policy, refusal.action());
        world.err()
                .println(
                        "  "
                                + why.action()
                                + (refusal.times() == 1 ? "" : " (" + refusal.times() + " times)")
                                + ": "
                                + refusal.reason()
                                + (why.suggestion().isEmpty()
                                        ? ""
                                        : "; to change that: " + why.suggestion()));
    }

    private void closeFile() {
        if (writer == null || json == null) {
            return;
        }
        try (var _ = writer) {
            var failure = json.failure();
            if (failure.isPresent()) {
                throw failure.get();
            }
        } catch (IOException e) {
            throw unwritten(e);
        }
    }

    /// Whoever reads it must not take it for the whole.
    private UncheckedIOException unwritten(IOException e) {
        return new UncheckedIOException(
                file
                        + " could not be written: "
                        + Reason.of(e)
                        + "; what could not be recorded was refused",
                e);
    }
}
