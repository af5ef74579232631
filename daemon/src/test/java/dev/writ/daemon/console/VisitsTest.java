// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class VisitsTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // it may wrap around
    private final Visits visits = new Visits(now::get);

    @Test
    void a_link_is_good_once() {
        var link = visits.link();
        var visit = visits.exchange(link).orElseThrow();
        assertThat(visits.isGood(visit)).isTrue();
        assertThat(visits.exchange(link)).isEmpty();
        assertThat(visits.isGood(link)).isFalse();
    }

    @Test
    void a_link_is_over_soon_and_a_visit_later() {
        var late = visits.link();
        var visit = visits.exchange(visits.link()).orElseThrow();
        now.addAndGet(Visits.LINK.toNanos());
        assertThat(visits.exchange(late)).isEmpty();
        assertThat(visits.isGood(visit)).isTrue();
        now.addAndGet(Visits.VISIT.toNanos());
        assertThat(visits.isGood(visit)).isFalse();
    }

    @Test
    void what_never_was_one_is_none() {
        visits.link();
        assertThat(visits.exchange("")).isEmpty();
        assertThat(visits.exchange("0".repeat(64))).isEmpty();
        assertThat(visits.isGood("")).isFalse();
    }

    @Test
    void a_visit_that_was_ended_is_over() {
        var visit = visits.exchange(visits.link()).orElseThrow();
        visits.end(visit);
        assertThat(visits.isGood(visit)).isFalse();
    }

    @Test
    void only_so_many_are_kept() {
        var first = visits.link();
        for (int i = 0; i < 100; i++) {
            visits.link();
        }
        assertThat(visits.exchange(first)).isEmpty();
    }
}
