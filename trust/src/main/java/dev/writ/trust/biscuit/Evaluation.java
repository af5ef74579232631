// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.List;

/// All that an evaluation came to.
public final class Evaluation {
    private final Authorizer authorizer;
    private final List<VerifiedBiscuit.Said> blocks;
    private final Outcome outcome;
    private final World world;

    Evaluation(
            Authorizer authorizer,
            List<VerifiedBiscuit.Said> blocks,
            Outcome outcome,
            World world) {
        this.authorizer = authorizer;
        this.blocks = blocks;
        this.outcome = outcome;
        this.world = world;
    }

    public Outcome outcome() {
        return outcome;
    }

    /// What it cost.
    public int steps() {
        return world.steps();
    }

    /// All facts in the end, as Datalog.
    public List<String> facts() {
        return world.facts().stream().map(f -> f.fact().toString()).toList();
    }

    /// The evaluation in the form that [#again] and others can load and look at:
    /// `AuthorizerSnapshot` of the specification.
    public byte[] snapshot() {
        return Snapshot.write(authorizer, blocks, world);
    }

    /// The evaluation that a snapshot is of, done once more. Nobody signed a snapshot: the outcome
    /// is for people to look at, and permits nothing.
    ///
    /// @param most what it may cost, whatever the snapshot asks for
    /// @throws BiscuitException if the bytes are no snapshot
    public static Evaluation again(byte[] snapshot, Limits most) {
        return SnapshotReader.evaluate(snapshot, most);
    }
}
