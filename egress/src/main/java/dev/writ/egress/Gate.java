// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Reason;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.policy.Policy;
import io.netty.channel.Channel;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The way to the broker. It may wait for the disk, and then the clerk does, or for a person, and
/// then a thread of its own does; none of those that move bytes ever waits.
final class Gate implements AutoCloseable {
    private static final long LONGEST_CLOSE = 5;

    private final Policy policy;
    private final Broker broker;
    private final SessionId session;
    private final InstantSource clock;
    private final Clerk clerk;

    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(
                    Thread.ofVirtual().name("writ-egress-judge-", 0).factory());

    Gate(Policy policy, Broker broker, SessionId session, InstantSource clock) {
        this.policy = policy;
        this.broker = broker;
        this.session = session;
        this.clock = clock;
        this.clerk = new Clerk(broker);
    }

    Policy policy() {
        return policy;
    }

    /// Does `work`, which may wait.
    ///
    /// @throws RejectedExecutionException if the session is over
    void aside(Runnable work) {
        threads.execute(work);
    }

    /// Does `work`, which may wait, and goes on with its result on the thread of `channel`; closes
    /// it if there is none. Nothing follows if it is closed by then.
    <T> void aside(Channel channel, Supplier<T> work, Consumer<T> then) {
        aside(() -> orClose(channel, () -> tell(work.get(), channel, then)));
    }

    /// Judges `action` for whoever waits on `channel`, and then goes on there, as above.
    void judge(Action action, Channel channel, Consumer<Verdict> then) {
        var request = new Request(session, action, new Waiting(channel));
        clerk.judge(
                request,
                channel.eventLoop(),
                verdict ->
                        orClose(
                                channel,
                                () ->
                                        verdict.ifPresentOrElse(
                                                v -> tell(v, channel, then),
                                                () -> ask(request, channel, then))));
    }

    /// Judges one after the other, as long as `goesOn` wants the next; then does `then`.
    <A extends Action> void judgeInTurn(
            Iterator<A> actions, Channel channel, BiPredicate<A, Verdict> goesOn, Runnable then) {
        if (!actions.hasNext()) {
            then.run();
            return;
        }
        var action = actions.next();
        judge(
                action,
                channel,
                verdict -> {
                    if (goesOn.test(action, verdict)) {
                        judgeInTurn(actions, channel, goesOn, then);
                    }
                });
    }

    private void ask(Request request, Channel channel, Consumer<Verdict> then) {
        aside(channel, () -> broker.judge(request), then);
    }

    private static void orClose(Channel channel, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            channel.close();
        }
    }

    private static <T> void tell(T result, Channel channel, Consumer<T> then) {
        channel.eventLoop()
                .execute(
                        () -> {
                            if (channel.isActive()) {
                                then.accept(result);
                            }
                        });
    }

    /// Writes down that something else came than what was permitted, and was refused.
    void refused(Action action, Reason reason) {
        clerk.record(() -> broker.refused(new Request(session, action), reason));
    }

    /// Writes down what went through.
    ///
    /// @param path as the program said it: nothing of a secret is in it
    /// @param secrets the names of those that were put in
    void sent(
            String scheme,
            Destination to,
            String method,
            String path,
            int status,
            long up,
            long down,
            long nanos,
            String secrets) {
        clerk.record(
                new AuditEvent.Egress(
                        clock.instant(),
                        session,
                        scheme,
                        to.host().toString(),
                        to.port(),
                        method,
                        path,
                        status,
                        up,
                        down,
                        Duration.ofNanos(nanos),
                        secrets));
    }

    /// Waits for what is being written down. Whoever still waits for a person is sent away.
    @Override
    public void close() {
        // ORDER: the clerk may still hand something over.
        clerk.close();
        threads.shutdown();
        try {
            if (!threads.awaitTermination(LONGEST_CLOSE, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /// Whoever is at the other end of a connection.
    private record Waiting(Channel channel) implements Asker {
        @Override
        public List<Task> lineage() {
            return List.of();
        }

        @Override
        public boolean isWaiting() {
            return channel.isActive();
        }
    }
}
