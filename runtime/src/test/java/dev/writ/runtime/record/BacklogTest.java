// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BacklogTest {
    private static final SessionId SESSION = new SessionId("test");

    private final List<AuditEvent> written = Collections.synchronizedList(new ArrayList<>());

    private static AuditEvent event(int number) {
        return new AuditEvent.ProcessStarted(
                Instant.EPOCH, SESSION, number, 1, FilePath.of("/x"), List.of("x"));
    }

    private static List<AuditEvent> events(int count) {
        return IntStream.range(0, count).mapToObj(BacklogTest::event).toList();
    }

    @Test
    void what_is_added_is_written_by_somebody_else() throws Exception {
        var done = new CountDownLatch(1);
        var writers = Collections.synchronizedSet(new HashSet<Thread>());
        var backlog =
                new Backlog(
                        some -> {
                            writers.add(Thread.currentThread());
                            done.countDown();
                        });

        backlog.add(event(1));

        done.await();
        assertThat(writers).isNotEmpty().doesNotContain(Thread.currentThread());
    }

    @Test
    void all_are_written_in_their_order_whoever_writes() {
        var backlog = new Backlog(written::addAll);
        var all = events(20_000);

        for (int i = 0; i < all.size(); i++) {
            backlog.add(all.get(i));
            if (i % 97 == 0) {
                backlog.write();
                assertThat(written).as("nobody writes any more").hasSize(i + 1);
            }
        }

        backlog.write();
        assertThat(written).isEqualTo(all);
    }

    @Test
    void who_writes_waits_for_what_others_write() throws Exception {
        var begun = new Semaphore(0);
        var goOn = new Semaphore(0);
        var backlog =
                new Backlog(
                        some -> {
                            begun.release();
                            goOn.acquireUninterruptibly();
                            written.addAll(some);
                        });
        backlog.add(event(1));
        begun.acquire();
        var second = Thread.ofPlatform().start(backlog::write);

        second.join(100);
        assertThat(second.isAlive()).isTrue();
        goOn.release();
        second.join();
        assertThat(written).hasSize(1);
    }

    @Test
    void one_that_does_not_get_on_holds_up_whoever_adds_too_much_and_no_other() throws Exception {
        var goOn = new Semaphore(0);
        var stuck =
                new Backlog(
                        some -> {
                            goOn.acquireUninterruptibly();
                            written.addAll(some);
                        });
        var flood = Thread.ofPlatform().start(() -> events(5000).forEach(stuck::add));
        flood.join(300);
        assertThat(flood.isAlive()).isTrue();

        var others = new ArrayList<AuditEvent>();
        var other = new Backlog(others::addAll);
        other.add(event(1));
        other.write();
        assertThat(others).hasSize(1);

        goOn.release(5000);
        flood.join();
        stuck.write();
        assertThat(written).hasSize(5000);
    }

    @Test
    void after_a_failure_nothing_is_taken_any_more() {
        var backlog =
                new Backlog(
                        some -> {
                            throw new IllegalStateException("full");
                        });
        backlog.add(event(1));

        assertThatThrownBy(backlog::write)
                .isInstanceOf(RecordException.class)
                .hasMessageContaining("full");
        assertThatThrownBy(() -> backlog.add(event(2))).isInstanceOf(RecordException.class);
        var next = new Backlog(written::addAll);
        next.add(event(3));
        next.write();
        assertThat(written).hasSize(1);
    }

    @Test
    void after_its_end_nothing_is_taken_and_nothing_is_lost() {
        var backlog = new Backlog(written::addAll);
        backlog.add(event(1));

        backlog.close();

        assertThat(written).hasSize(1);
        assertThatThrownBy(() -> backlog.add(event(2)))
                .isInstanceOf(RecordException.class)
                .hasMessageContaining("over");
    }
}
