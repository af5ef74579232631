// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Looks from time to time at what sandboxes have used. One thread for all of them, which is there
/// only while there is something to look at, and a little longer.
final class Meter {
    private static final long KEPT = TimeUnit.SECONDS.toNanos(10);

    private static final List<Watch> WATCHES = new ArrayList<>(); // guarded by itself
    private static @Nullable Thread thread; // guarded by WATCHES
    private static boolean starting; // guarded by WATCHES
    private static long wake; // guarded by WATCHES

    private Meter() {}

    /// Looks at `watch` from now on. Must not be called on a thread that has given up rights.
    static void add(Watch watch) {
        synchronized (WATCHES) {
            WATCHES.add(watch);
            if (thread != null) {
                wakeFor(watch);
            } else if (!starting) {
                starting = true;
                var _ = Host.call("writ-meter", Meter::run).exceptionally(_ -> giveUp());
            }
        }
    }

    /// `watch` is due earlier than before.
    static void wakeFor(Watch watch) {
        synchronized (WATCHES) {
            if (thread != null && watch.due() - wake < 0) {
                LockSupport.unpark(thread);
            }
        }
    }

    static void remove(Watch watch) {
        synchronized (WATCHES) {
            WATCHES.remove(watch);
        }
    }

    private static boolean run() {
        try (var worker = new Worker(false)) {
            synchronized (WATCHES) {
                thread = Thread.currentThread();
            }
            long idleSince = System.nanoTime();
            while (true) {
                long now = System.nanoTime();
                if (look(worker, now)) {
                    idleSince = now;
                }
                long pause;
                synchronized (WATCHES) {
                    if (WATCHES.isEmpty() && now - idleSince > KEPT) {
                        thread = null;
                        starting = false;
                        return true;
                    }
                    pause = pause(System.nanoTime());
                }
                LockSupport.parkNanos(WATCHES, pause);
            }
        }
    }

    /// Looks at what is due.
    ///
    /// @return whether there is anything to look at, now or later
    private static boolean look(Worker worker, long now) {
        List<Watch> all;
        synchronized (WATCHES) {
            all = List.copyOf(WATCHES);
        }
        for (var watch : all) {
            if (watch.due() - now <= 0) {
                watch.look(worker);
            }
        }
        return !all.isEmpty();
    }

    private static long pause(long now) {
        long pause = Watch.LONGEST;
        for (var watch : WATCHES) {
            pause = Math.min(pause, watch.due() - now);
        }
        wake = now + pause;
        return Math.max(pause, 1);
    }

    /// Without a thread nobody looks: what must be looked at must end.
    private static boolean giveUp() {
        List<Watch> all;
        synchronized (WATCHES) {
            all = List.copyOf(WATCHES);
            thread = null;
            starting = false;
        }
        all.forEach(Watch::giveUp);
        return false;
    }
}
