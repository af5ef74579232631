// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Takes secrets out of a stream, whichever way it is cut into pieces. What was a secret is as many
/// asterisks, so that lengths stay true. Bytes that may be the beginning of one are kept back until
/// it is known. Belongs to one stream.
public final class Masker {
    private static final int FEW = 3;
    private static final byte MASK = '*';

    private final Automaton automaton;
    private final Probes probes;

    /// New ends of pieces in what may still become a secret.
    private final List<Integer> unknown = new ArrayList<>();

    private int state = Automaton.START;
    private byte[] kept = {};
    private boolean masked;

    Masker(Automaton automaton, Probes probes) {
        this.automaton = automaton;
        this.probes = probes;
    }

    /// What can be passed on now that `piece` has come, too. All of `piece` is taken.
    public byte[] next(ByteBuffer piece) {
        var all = Arrays.copyOf(kept, kept.length + piece.remaining());
        piece.get(all, kept.length, piece.remaining());
        int begun = kept.length - automaton.pending(state);
        for (int i = kept.length; i < all.length; i++) {
            state = automaton.step(state, all[i]);
            int length = automaton.found(state);
            if (length > 0) {
                Arrays.fill(all, Math.max(0, i + 1 - length), i + 1, MASK);
                masked = true;
                if (i + 1 - length == begun) {
                    probes.remove(unknown);
                }
            }
        }
        int pending = automaton.pending(state);
        if (all.length - pending != begun) {
            unknown.clear(); // it was one, or has come to nothing
        }
        if (probes.add(state, pending)) {
            unknown.add(state);
        }
        int ready = Math.max(0, all.length - pending);
        kept = Arrays.copyOfRange(all, ready, all.length);
        return ready == all.length ? all : Arrays.copyOf(all, ready);
    }

    /// Whether something is kept back.
    public boolean keeps() {
        return kept.length > 0;
    }

    /// What was kept back, because nothing has come for a while: the other side may wait for it
    /// before it says any more. Should it have been the beginning of a secret all the same, the
    /// rest is still taken out when it comes, so nothing but its first [#FEW] bytes is ever passed
    /// on. Where more than these are there it hardly is anything else, and they are taken out at
    /// once.
    public byte[] letGo() {
        var rest = kept;
        kept = new byte[] {};
        if (automaton.pending(state) > FEW) {
            Arrays.fill(rest, MASK);
            masked = true;
        }
        return rest;
    }

    /// What was kept back, because the stream has ended.
    public byte[] last() {
        var rest = kept;
        kept = new byte[] {};
        state = Automaton.START;
        return rest;
    }

    /// Whether a secret was in the stream so far.
    public boolean hasMasked() {
        return masked;
    }
}
