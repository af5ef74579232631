// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Processors.Some;

/// Hands descriptors over to who waits for them, in the way that is the faster one at the moment.
///
/// In one step, the kernel wakes the caller on a processor that has nothing to do, if there is one.
/// In a virtual machine that takes longer than all the rest of an open. Where it does, two steps
/// are tried: until the caller has its descriptor, both keep to one processor. It does not come out
/// of the kernel before it has back what it had: nothing that it starts or asks is affected. A JVM
/// that has just started takes longer for that than it saves.
final class Handover {
    private static final long SLOW = 25_000; // ns; on one processor it takes a fifth of that
    private static final long QUEUED = 500_000; // then no processor is free, and it waits for one
    private static final int TRIAL = 4; // in a row: one may be slow by chance
    private static final int SPELL = 200; // hand-overs until the first way is tried again
    private static final int REST = 1000; // and until the second one is, if it was not faster

    private final Worker worker;
    private Some all = Some.UNKNOWN;
    private int slow;
    private long inOneStep; // what so many took
    private long inTwo; // what those since then took
    private int left;
    private int rest;

    Handover(Worker worker) {
        this.worker = worker;
    }

    /// Ends `call` with a copy of `descriptor`, which is kept. If it cannot be handed over, the
    /// call gets the error.
    ///
    /// @param alone whether nobody else may have it open when the caller goes on: as long as we
    ///     have it, a program that was just written cannot be started (`ETXTBSY`), and a lock
    ///     that was just given up is still there
    /// @return the descriptor that it is there, or the negated error
    int give(Notification call, int descriptor, boolean closeOnExec, boolean alone) {
        long begin = System.nanoTime();
        int given;
        if (left > 0) {
            given = answer(call, descriptor, giveHere(call, descriptor, closeOnExec));
            noticeTwoSteps(System.nanoTime() - begin);
        } else {
            given =
                    alone
                            ? answer(call, descriptor, giveWaiting(call, descriptor, closeOnExec))
                            : worker.notifications.give(call.id(), descriptor, closeOnExec);
            noticeOneStep(System.nanoTime() - begin);
        }
        return given;
    }

    private void noticeOneStep(long took) {
        if (rest > 0) {
            rest--;
        } else if (took <= SLOW || took >= QUEUED) {
            slow = 0;
            inOneStep = 0;
        } else {
            slow++;
            inOneStep += took;
            if (slow == TRIAL) {
                left = SPELL;
                inTwo = 0;
                all = worker.processors.of(0);
            }
        }
    }

    private void noticeTwoSteps(long took) {
        left--;
        inTwo += took;
        boolean tried = left == SPELL - TRIAL;
        if (tried && inTwo > inOneStep / 4 * 3) {
            left = 0;
            rest = REST;
        }
        if (left == 0) {
            slow = 0;
            inOneStep = 0;
        }
    }

    private int giveHere(Notification call, int descriptor, boolean closeOnExec) {
        var processors = worker.processors;
        var theirs = processors.of(call.task());
        var here = processors.here(all);
        if (!theirs.isMoreThan(here)) {
            return giveWaiting(call, descriptor, closeOnExec);
        }
        processors.use(call.task(), here);
        processors.use(0, here);
        int given = giveWaiting(call, descriptor, closeOnExec);
        processors.use(call.task(), theirs);
        processors.use(0, all);
        return given;
    }

    private int giveWaiting(Notification call, int descriptor, boolean closeOnExec) {
        return worker.notifications.giveWaiting(call.id(), descriptor, closeOnExec);
    }

    private int answer(Notification call, int descriptor, int given) {
        worker.release(descriptor);
        worker.answer(call, given);
        return given;
    }
}
