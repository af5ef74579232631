// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.FilePath;
import dev.writ.runtime.Refusals;
import dev.writ.runtime.Session;
import dev.writ.runtime.files.SessionFiles;
import dev.writ.runtime.record.SessionRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// A session that outlives the call that opened it, and the processes in it.
public final class KeptSandbox {
    private static final int MOST_RUNNING = 128;
    private static final int MOST_ENDED = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Session session;
    private final SessionRecord record;
    private final Ask ask;
    private final InstantSource clock;
    private final Instant at;
    private final ExecutorService threads;
    private final ScheduledExecutorService timer;
    private final Map<String, RunningProcess> processes = new ConcurrentHashMap<>();
    private final Collection<Refusals> watchers = new ConcurrentLinkedQueue<>();
    private final AtomicLong count = new AtomicLong();
    private final long born = System.nanoTime();
    private volatile long used = born;
    private boolean closed; // guarded by this

    /// What somebody wanted it to be.
    ///
    /// @param policy where its policy came from
    /// @param about the file that what is approved for good is kept for; without one the workspace
    /// @param patience how long a question of it waits for an answer
    /// @param nobody why none is asked, if none waits
    /// @param idle how long nothing may run in it before it is ended
    /// @param life how long it may be there at all
    public record Ask(
            FilePath workspace,
            String policy,
            Path about,
            Map<String, String> labels,
            Duration patience,
            String nobody,
            Duration idle,
            Optional<Duration> life) {
        public Ask {
            labels = Map.copyOf(labels);
        }

        /// Who opened it, as far as is known.
        String principal() {
            return labels.getOrDefault("principal", "");
        }
    }

    KeptSandbox(
            Session session,
            SessionRecord record,
            Ask ask,
            InstantSource clock,
            ExecutorService threads,
            ScheduledExecutorService timer) {
        this.session = session;
        this.record = record;
        this.ask = ask;
        this.clock = clock;
        this.at = clock.instant();
        this.threads = threads;
        this.timer = timer;
    }

    public String id() {
        return session.id().value();
    }

    public Session session() {
        return session;
    }

    public Ask ask() {
        return ask;
    }

    public Instant at() {
        return at;
    }

    public Collection<RunningProcess> processes() {
        return processes.values();
    }

    public Optional<RunningProcess> process(String id) {
        touch();
        return Optional.ofNullable(processes.get(id));
    }

    public long running() {
        return processes.values().stream().filter(RunningProcess::isRunning).count();
    }

    /// Its files.
    ///
    /// @throws RejectedExecutionException if the sandbox is being ended
    public synchronized SessionFiles files() {
        requireOpen();
        touch();
        return session.files();
    }

    private void requireOpen() {
        if (closed) {
            throw new RejectedExecutionException("this sandbox is being ended");
        }
    }

    /// Somebody has to do with it.
    void touch() {
        used = System.nanoTime();
    }

    /// Starts `command`. Whoever calls this waits for [RunningProcess#awaitStart].
    ///
    /// @throws TooManyException if too many run already
    /// @throws RejectedExecutionException if the sandbox is being ended
    public RunningProcess start(Command command) {
        touch();
        RunningProcess process;
        synchronized (this) {
            requireOpen();
            if (running() >= MOST_RUNNING) {
                throw new TooManyException(MOST_RUNNING + " processes run in this sandbox already");
            }
            makeRoom();
            process =
                    new RunningProcess(
                            "p" + count.incrementAndGet(),
                            command,
                            session,
                            clock.instant(),
                            threads);
            processes.put(process.id(), process);
        }
        threads.execute(() -> run(process));
        if (command.milliseconds() > 0) {
            var _ = timer.schedule(process::timeOut, command.milliseconds(), TimeUnit.MILLISECONDS);
        }
        return process;
    }

    private void run(RunningProcess process) {
        try {
            process.run();
        } finally {
            touch();
        }
    }

    /// The oldest of those that have ended and that nobody has read make room.
    private void makeRoom() {
        var ended = new ArrayList<RunningProcess>();
        processes.values().stream().filter(p -> !p.isRunning()).forEach(ended::add);
        ended.sort((a, b) -> Long.compare(number(a), number(b)));
        for (int i = 0; i <= ended.size() - MOST_ENDED; i++) {
            processes.remove(ended.get(i).id());
        }
    }

    private static long number(RunningProcess process) {
        return Long.parseLong(process.id().substring(1));
    }

    /// Nobody wants to know more of it: ends it if it runs.
    public void forget(RunningProcess process) {
        process.stop();
        processes.remove(process.id());
    }

    /// Called by threads that act for a sandbox.
    void count(AuditEvent event) {
        if (event instanceof AuditEvent.Judged judged && !judged.permitted()) {
            processes.values().forEach(p -> p.count(event));
            watchers.forEach(w -> w.append(event));
        }
    }

    /// From now on `refusals` hears what is refused here, until [#forget(Refusals)].
    public void watch(Refusals refusals) {
        watchers.add(refusals);
    }

    public void forget(Refusals refusals) {
        watchers.remove(refusals);
    }

    void tell(AuditEvent event) {
        processes.values().forEach(p -> p.tell(event));
    }

    /// Whether its time is over.
    boolean isExpired() {
        long now = System.nanoTime();
        boolean old = ask.life().filter(l -> now - born > l.toNanos()).isPresent();
        return old || (running() == 0 && now - used > ask.idle().toNanos());
    }

    /// Ends everything in it, and writes that down.
    void close() {
        List<RunningProcess> all;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all = List.copyOf(processes.values());
        }
        all.forEach(RunningProcess::stop);
        for (var process : all) {
            try {
                process.output().awaitEnd(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        try (var _ = record) {
            session.close();
        }
    }
}
