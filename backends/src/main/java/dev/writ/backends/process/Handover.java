// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Processors.Some;

/// Hands descriptors over to who waits for them, in the way that is the faster one at the moment.
///
/// In one step, the kernel wakes the caller on a processor that has nothing to do, if there is one.
/// In a virtual machine that takes longer than all the rest of an open. Where it does, the next
/// ones are done in two steps: until the caller has its descriptor, both keep to one processor. It
/// does not come out of the kernel before it has back what it had: nothing that it starts or asks
/// is affected.
final class Handover {
    private static final long SLOW = 25_000; // ns; on one processor it takes a fifth of that
    private static final long QUEUED = 500_000; // then no processor is free, and it waits for one
    private static final int SLOW_IN_A_ROW = 3; // one may be by chance
    private static final int SPELL = 200; // hand-overs until the other way is tried again

    private final Worker worker;
    private Some all = Some.UNKNOWN;
    private int slow;
    private int left;

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
        if (left > 0) {
            left--;
            int given = giveHere(call, descriptor, closeOnExec);
            return answer(call, descriptor, given);
        }
        long begin = System.nanoTime();
        int given =
                alone
                        ? giveWaiting(call, descriptor, closeOnExec)
                        : worker.notifications.give(call.id(), descriptor, closeOnExec);
        notice(System.nanoTime() - begin);
        return alone ? answer(call, descriptor, given) : given;
    }

    private void notice(long took) {
        slow = took > SLOW && took < QUEUED ? slow + 1 : 0;
        if (slow == SLOW_IN_A_ROW) {
            slow = 0;
            left = SPELL;
            all = worker.processors.of(0);
        }
    }

    private int giveHere(Notification call, int descriptor, boolean closeOnExec) {
        var processors = worker.processors;
        var theirs = processors.of(call.task());
        var here = processors.here(all);
        if (!theirs.contains(here)) {
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
