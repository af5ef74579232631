// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Evaluations written down and done again. That others agree, `OtherBiscuitsIT` shows.
class SnapshotTest {
    private static Evaluation evaluated(int seed) {
        var generated = new Generated(seed);
        var token = Biscuit.parse(generated.token().bytes()).verify(generated.root.key());
        return new DatalogText(generated.authorizer).authorizer().authorize(token);
    }

    private static Evaluation again(byte[] snapshot) {
        return Evaluation.again(snapshot, Limits.DEFAULT);
    }

    @Test
    void what_is_written_down_comes_to_the_same_again() {
        for (int seed = 0; seed < 250; seed++) {
            var evaluation = evaluated(seed);
            var again = again(evaluation.snapshot());
            assertThat(again.outcome()).isEqualTo(evaluation.outcome());
            assertThat(again.facts()).isEqualTo(evaluation.facts());
            assertThat(again.snapshot()).isEqualTo(evaluation.snapshot());
        }
    }

    @Test
    void what_followed_is_not_believed() {
        var denied = new DatalogText("allow if right(1);").authorizer().authorize(null);
        var allowed = new DatalogText("right(1); allow if right(1);").authorizer().authorize(null);
        assertThat(again(allowed.snapshot()).outcome()).isEqualTo(new Outcome.Allowed(0));
        // the same fact, said to have followed
        byte[] forged = Snapshot.write(authorizer(), List.of(), world());
        assertThat(forged.length).isGreaterThan(denied.snapshot().length);
        assertThat(again(forged).outcome()).isEqualTo(denied.outcome());
    }

    private static Authorizer authorizer() {
        return new DatalogText("allow if right(1);").authorizer();
    }

    private static World world() {
        var world = new World(Limits.DEFAULT);
        world.add(World.bit(World.AUTHORIZER), Predicate.of("right", new Term.Int(1)));
        return world;
    }

    @Test
    void limits_of_a_snapshot_do_not_widen_ours() {
        var own = new DatalogText("n(1); n(2); n(3); allow if true;").authorizer();
        var wide = new Limits(1_000_000, 1_000_000, 1_000_000);
        byte[] snapshot =
                new Authorizer(own.own(), own.policies(), wide).authorize(null).snapshot();

        assertThat(again(snapshot).outcome()).isEqualTo(new Outcome.Allowed(0));
        assertThat(Evaluation.again(snapshot, new Limits(2, 100, 30_000)).outcome())
                .isInstanceOf(Outcome.Stopped.class);
        assertThat(Evaluation.again(snapshot, new Limits(1_000, 100, 2)).outcome())
                .isInstanceOf(Outcome.Stopped.class);
    }

    @Test
    void bad_bytes_are_refused_or_mean_something() {
        byte[] snapshot = evaluated(7).snapshot();
        int refused = 0;
        for (int bit = 0; bit < snapshot.length * 8; bit++) {
            byte[] changed = snapshot.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                assertThat(again(changed).outcome()).isNotNull();
            } catch (BiscuitException e) {
                assertThat(e.getMessage()).isNotBlank();
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(snapshot.length);
        for (int length = 0; length < snapshot.length; length++) {
            byte[] part = Arrays.copyOf(snapshot, length);
            assertThatThrownBy(() -> again(part)).isInstanceOf(BiscuitException.class);
        }
    }

    @Test
    void sizes_are_bounded() {
        assertThatThrownBy(() -> again(new byte[300_000])).hasMessageContaining("longer than");
        var blocks = new ProtoWriter();
        for (int i = 0; i < 33; i++) {
            blocks.message(4, w -> w.varint(2, Version.OLDEST));
        }
        assertThatThrownBy(() -> again(snapshot(blocks))).hasMessageContaining("32 blocks");
        var keys = new ProtoWriter();
        for (int i = 0; i < 65; i++) {
            keys.message(3, KeyPair.make().key()::write);
        }
        assertThatThrownBy(() -> again(snapshot(keys))).hasMessageContaining("64 keys");
        assertThat(again(snapshot(new ProtoWriter())).outcome()).isInstanceOf(Outcome.Denied.class);
    }

    private static byte[] snapshot(ProtoWriter more) {
        more.message(5, w -> w.varint(2, Version.OLDEST)).varint(8, 0);
        return new ProtoWriter()
                .message(1, w -> w.varint(1, 10).varint(2, 10).varint(3, 10))
                .varint(2, 0)
                .bytes(3, more.done())
                .done();
    }
}
