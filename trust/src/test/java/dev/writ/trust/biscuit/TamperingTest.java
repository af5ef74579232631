// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.trust.key.Ed25519;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Tokens that somebody has changed. Each test first shows that the token is good as it was.
class TamperingTest {
    private final KeyPair root = KeyPair.make();
    private final KeyPair giver = KeyPair.make();

    private Biscuit token() {
        var token =
                Biscuit.mint(block("right(\"file1\", \"read\");"), root)
                        .append(block("check if operation(\"read\");"))
                        .append(block("check if resource(\"file1\");"), giver);
        assertThat(token.verify(root.key()).blocks()).hasSize(3);
        return token;
    }

    private static Block block(String code) {
        return new DatalogText(code).block();
    }

    private void refused(byte[] bytes) {
        assertThatThrownBy(() -> Biscuit.parse(bytes).verify(root.key()))
                .isInstanceOf(BiscuitException.class);
    }

    private void refused(Biscuit token) {
        refused(token.bytes());
    }

    @Test
    void every_bit_counts() {
        for (var token : List.of(token(), token().seal())) {
            byte[] bytes = token.bytes();
            for (int bit = 0; bit < bytes.length * 8; bit++) {
                byte[] changed = bytes.clone();
                changed[bit / 8] ^= (byte) (1 << bit % 8);
                refused(changed);
            }
        }
    }

    @Test
    void a_part_is_no_token() {
        byte[] bytes = token().bytes();
        for (int length = 0; length < bytes.length; length++) {
            refused(Arrays.copyOf(bytes, length));
        }
        refused(Arrays.copyOf(bytes, bytes.length + 1));
    }

    @Test
    void blocks_cannot_be_moved_dropped_doubled_or_taken_from_others() {
        var token = token();
        var blocks = token.blocks();
        var others = token().blocks();
        for (var changed :
                List.of(
                        List.of(blocks.get(0), blocks.get(2), blocks.get(1)),
                        List.of(blocks.get(1), blocks.get(0), blocks.get(2)),
                        List.of(blocks.get(0), blocks.get(2)),
                        List.of(blocks.get(0), blocks.get(1)),
                        List.of(blocks.get(0)),
                        List.of(blocks.get(0), blocks.get(1), blocks.get(1), blocks.get(2)),
                        List.of(blocks.get(0), others.get(1), blocks.get(2)),
                        List.of(others.get(0), blocks.get(1), blocks.get(2)))) {
            refused(new Biscuit(null, changed, false, token.proof()));
        }
    }

    @Test
    void the_giver_of_a_block_cannot_be_exchanged_or_left_out() {
        var token = token();
        var last = token.blocks().getLast();
        var stranger = KeyPair.make();
        byte[] outside =
                SignedBlock.signedOutside(last.payload(), token.blocks().get(1).signature());
        var other = new SignedBlock.External(stranger.key(), stranger.sign(outside));
        for (var changed : Arrays.asList(null, other)) {
            var blocks = new ArrayList<>(token.blocks());
            blocks.set(
                    2,
                    new SignedBlock(last.payload(), last.nextKey(), last.signature(), changed, 1));
            refused(new Biscuit(null, blocks, false, token.proof()));
        }
    }

    @Test
    void a_block_of_somebody_else_is_for_one_place_in_one_token() {
        var one = Biscuit.mint(block("a(1);"), root);
        var other = Biscuit.mint(block("a(1);"), root);
        var given = one.append(block("b(1);"), giver).blocks().get(1);
        var key = KeyPair.of(other.proof());
        var next = KeyPair.make();
        byte[] signed =
                SignedBlock.signed(
                        given.payload(),
                        next.key(),
                        other.blocks().getFirst().signature(),
                        given.external(),
                        1);
        var moved =
                new SignedBlock(given.payload(), next.key(), key.sign(signed), given.external(), 1);

        refused(new Biscuit(null, List.of(other.blocks().getFirst(), moved), false, next.secret()));
    }

    @Test
    void no_algorithm_is_taken_from_the_token() {
        var token = token();
        var first = token.blocks().getFirst();
        for (int version : new int[] {0, 2}) {
            var blocks = new ArrayList<>(token.blocks());
            blocks.set(
                    0,
                    new SignedBlock(
                            first.payload(), first.nextKey(), first.signature(), null, version));
            refused(new Biscuit(null, blocks, false, token.proof()));
        }
        var blocks = new ArrayList<>(token.blocks());
        blocks.set(0, new SignedBlock(first.payload(), first.nextKey(), new byte[0], null, 1));
        refused(new Biscuit(null, blocks, false, token.proof()));
        // an Ed25519 key called one of the other curve is no key
        assertThatThrownBy(
                        () -> new PublicKey(PublicKey.Algorithm.SECP256R1, first.nextKey().bytes()))
                .isInstanceOf(BiscuitException.class);
    }

    @Test
    void a_signature_has_no_twin() {
        var token = token();
        for (int i = 0; i < 3; i++) {
            var block = token.blocks().get(i);
            var blocks = new ArrayList<>(token.blocks());
            blocks.set(
                    i,
                    new SignedBlock(
                            block.payload(),
                            block.nextKey(),
                            plusOrder(block.signature()),
                            block.external(),
                            1));
            refused(new Biscuit(null, blocks, false, token.proof()));
        }
        var sealed = token.seal();
        refused(new Biscuit(null, sealed.blocks(), true, plusOrder(sealed.proof())));
    }

    /// The same signature with `s + L`, which careless verifiers take for good.
    private static byte[] plusOrder(byte[] signature) {
        byte[] big = new byte[32];
        for (int i = 0; i < 32; i++) {
            big[i] = signature[63 - i];
        }
        var order =
                BigInteger.TWO
                        .pow(252)
                        .add(new BigInteger("27742317777372353535851937790883648493"));
        byte[] sum = new BigInteger(1, big).add(order).toByteArray();
        byte[] twin = signature.clone();
        for (int i = 0; i < 32; i++) {
            twin[32 + i] = i < sum.length ? sum[sum.length - 1 - i] : 0;
        }
        return twin;
    }

    @Test
    void keys_of_small_order_are_no_keys() {
        for (var hex :
                List.of(
                        "0100000000000000000000000000000000000000000000000000000000000000",
                        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                        "0000000000000000000000000000000000000000000000000000000000000080",
                        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")) {
            byte[] key = HexFormat.of().parseHex(hex);
            assertThatThrownBy(() -> PublicKey.ed25519(key)).isInstanceOf(BiscuitException.class);
            byte[] zero = new byte[64];
            System.arraycopy(key, 0, zero, 0, 32);
            assertThat(Ed25519.verifies(key, new byte[] {1}, zero)).isFalse();
        }
    }

    @Test
    void what_is_sealed_stays_as_it_is() {
        var sealed = token().seal();
        assertThat(sealed.verify(root.key()).blocks()).hasSize(3);
        assertThatThrownBy(() -> sealed.append(block("a(1);"))).hasMessageContaining("sealed");
        var unsealed = new Biscuit(null, sealed.blocks(), false, Ed25519.secret());
        refused(unsealed);
    }

    @Test
    void a_later_block_cannot_widen() {
        var asked = new DatalogText("resource(\"x\"); allow if right(\"x\"); ").authorizer();
        var token = Biscuit.mint(block("right(\"y\");"), root);
        assertThat(
                        asked.authorize(
                                        Biscuit.mint(block("right(\"x\");"), root)
                                                .verify(root.key()))
                                .outcome())
                .isEqualTo(new Outcome.Allowed(0));
        for (var code :
                List.of(
                        "right(\"x\");",
                        "right($r) <- resource($r);",
                        "right($r) <- resource($r) trusting previous;")) {
            for (var wider : List.of(token.append(block(code)), token.append(block(code), giver))) {
                assertThat(asked.authorize(wider.verify(root.key())).outcome())
                        .isInstanceOf(Outcome.Denied.class);
            }
        }
    }

    @Test
    void another_root_signs_nothing() {
        assertThatThrownBy(() -> token().verify(KeyPair.make().key()))
                .isInstanceOf(BiscuitException.class)
                .hasMessage("block 0: its signature is not good");
    }
}
