// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Canonical;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.Session;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.SessionToken;
import dev.writ.runtime.Writ;
import dev.writ.runtime.approval.Inbox;
import dev.writ.runtime.approval.Subject;
import dev.writ.runtime.policy.Approvals;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.SessionRecord;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/// All sandboxes of the daemon.
public final class Sandboxes implements AutoCloseable {
    private static final int MOST = 2000;
    private static final int AT_ONCE = 4;

    private final Writ writ;
    private final Inbox inbox;
    private final FilePath state;
    private final Installation installation;
    private final Supplier<String> version;
    private final InstantSource clock;
    private final Map<String, KeptSandbox> all = new ConcurrentHashMap<>();
    private final Map<String, String> byKey = new ConcurrentHashMap<>();
    private final Events events = new Events(this::tell);
    /// Platform threads: to start a sandbox, and to read from a pipe, holds on to one.
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("writ-process-", 0).factory());

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("writ-timer").factory());
    private final AtomicLong permitted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong started = new AtomicLong();
    private boolean closed; // guarded by this

    /// @param variables what a program may get to see, as far as its policy grants it
    /// @param inbox where the questions of all of them wait
    /// @param state where Writ keeps what was approved for good
    /// @param version of Writ, for attestations
    public Sandboxes(
            Map<String, String> variables,
            Inbox inbox,
            FilePath state,
            Installation installation,
            Supplier<String> version,
            InstantSource clock) {
        this(
                new Writ(variables, new ProcessBackend(), inbox, Set.of()),
                inbox,
                state,
                installation,
                version,
                clock);
    }

    /// @param writ opens their sessions, and asks `inbox`
    public Sandboxes(
            Writ writ,
            Inbox inbox,
            FilePath state,
            Installation installation,
            Supplier<String> version,
            InstantSource clock) {
        this.writ = writ;
        this.inbox = inbox;
        this.state = state;
        this.installation = installation;
        this.version = version;
        this.clock = clock;
        events.start();
        var _ = timer.scheduleWithFixedDelay(this::removeExpired, 1, 1, TimeUnit.SECONDS);
    }

    public Events events() {
        return events;
    }

    /// Opens one under `policy`.
    ///
    /// @param key if there is one that was opened with it, that one is meant; empty for none
    /// @throws TooManyException if there are too many
    public synchronized KeptSandbox open(Policy policy, KeptSandbox.Ask ask, String key) {
        var known = Optional.ofNullable(byKey.get(key)).map(all::get);
        if (!key.isEmpty() && known.isPresent()) {
            return known.get();
        }
        var id = SessionNames.next();
        var sandbox =
                open(
                        id,
                        policy,
                        ask,
                        log -> writ.open(policy, ask.workspace(), id, ask.policy(), log));
        if (!key.isEmpty()) {
            byKey.put(key, id.value());
        }
        return sandbox;
    }

    /// Opens one with a token, under what it leaves of the policy. All that runs in it ends with
    /// the token.
    ///
    /// @throws TooManyException if there are too many
    public synchronized KeptSandbox open(SessionToken token, KeptSandbox.Ask ask) {
        return open(
                token.session(),
                token.policy(),
                ask,
                log -> writ.open(token, ask.workspace(), ask.policy(), log));
    }

    private KeptSandbox open(
            SessionId id, Policy policy, KeptSandbox.Ask ask, Function<AuditLog, Session> open) {
        if (closed) {
            throw new RejectedExecutionException("the daemon is ending");
        }
        if (all.size() >= MOST) {
            throw new TooManyException("there are " + MOST + " sandboxes already");
        }
        // ORDER: if they cannot be read, nothing has been opened yet.
        var approvals = Approvals.of(state, ask.about(), policy.scope());
        var record = new SessionRecord(installation, id, version);
        var session = open.apply(AuditLog.both(record, AuditLog.both(this::count, events)));
        inbox.open(subject(session, policy, ask), approvals, ask.patience(), ask.nobody());
        var sandbox = new KeptSandbox(session, record, ask, clock, threads, timer);
        all.put(id.value(), sandbox);
        opened.incrementAndGet();
        return sandbox;
    }

    private static Subject subject(Session session, Policy policy, KeptSandbox.Ask ask) {
        return new Subject(
                session.id(),
                session.lineage().orElse(ask.principal()),
                Canonical.digest(policy),
                ask.workspace(),
                List.copyOf(session.variables()));
    }

    /// Called by threads that act for a sandbox.
    private void count(AuditEvent event) {
        if (event instanceof AuditEvent.Judged judged) {
            (judged.permitted() ? permitted : refused).incrementAndGet();
        } else if (event instanceof AuditEvent.ProcessStarted first && first.parent() == 0) {
            started.incrementAndGet();
        }
        var sandbox = all.get(event.session().value());
        if (sandbox != null) {
            sandbox.count(event);
        }
    }

    private void tell(AuditEvent event) {
        var sandbox = all.get(event.session().value());
        if (sandbox != null) {
            sandbox.tell(event);
        }
    }

    public Optional<KeptSandbox> find(String id) {
        var sandbox = Optional.ofNullable(all.get(id));
        sandbox.ifPresent(KeptSandbox::touch);
        return sandbox;
    }

    public Collection<KeptSandbox> all() {
        return all.values();
    }

    /// Ends one, with everything in it, and waits until its record is signed. On a thread of its
    /// own: to wait for a disk holds on to one.
    public void end(KeptSandbox sandbox) {
        CompletableFuture.runAsync(() -> remove(sandbox), threads).join();
    }

    private void remove(KeptSandbox sandbox) {
        try {
            inbox.close(new SessionId(sandbox.id()));
            sandbox.close();
        } finally {
            all.remove(sandbox.id());
            byKey.values().remove(sandbox.id());
        }
    }

    private void removeExpired() {
        for (var sandbox : all.values()) {
            if (sandbox.isExpired()) {
                threads.execute(() -> remove(sandbox));
            }
        }
    }

    /// Numbers for whoever measures, by name.
    public Map<String, Long> counts() {
        return Map.of(
                "sandboxes", (long) all.size(),
                "processes", all.values().stream().mapToLong(KeptSandbox::running).sum(),
                "sandboxes_opened_total", opened.get(),
                "commands_started_total", started.get(),
                "verdicts_permitted_total", permitted.get(),
                "verdicts_refused_total", refused.get());
    }

    /// Ends all of them.
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        timer.shutdownNow();
        // A few at a time: each signs, and all of them wait for the one log of the installation.
        try (var tasks = Executors.newFixedThreadPool(AT_ONCE)) {
            new ArrayList<>(all.values()).forEach(s -> tasks.execute(() -> remove(s)));
        }
        events.close();
        threads.shutdown();
    }
}
