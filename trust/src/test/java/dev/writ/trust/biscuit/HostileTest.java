// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tokens that are well signed and want to cost too much. What they cost is counted in steps.
class HostileTest {
    private static final String P256_KEY =
            "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";

    private final KeyPair root = KeyPair.make();

    private Evaluation evaluate(String code) {
        var token = Biscuit.mint(new DatalogText(code).block(), root);
        var verified = Biscuit.parse(token.bytes()).verify(root.key());
        return new DatalogText("allow if true;").authorizer().authorize(verified);
    }

    private void stopped(String code) {
        var evaluation = evaluate(code);
        assertThat(evaluation.outcome()).isInstanceOf(Outcome.Stopped.class);
        assertThat(evaluation.facts().size()).isLessThanOrEqualTo(Limits.DEFAULT.facts() + 1);
    }

    private static String facts(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> name + "(" + i + ");")
                .collect(Collectors.joining());
    }

    @Test
    void honest_work_is_far_from_the_bounds() {
        var evaluation =
                evaluate(
                        facts("n", 50)
                                + "even($x) <- n($x), ($x / 2) * 2 === $x;"
                                + "check if even(48); check all n($x), $x < 50;");
        assertThat(evaluation.outcome()).isEqualTo(new Outcome.Allowed(0));
        assertThat(evaluation.steps()).isLessThan(Limits.DEFAULT.steps() / 10);
    }

    @Test
    void facts_do_not_multiply_without_end() {
        stopped(facts("n", 40) + "p($a, $b) <- n($a), n($b);");
        stopped(facts("n", 200) + "p($a) <- n($a), n($b), n($c), n($d), $d < 0;");
        stopped(facts("n", 1200));
    }

    @Test
    void rounds_end() {
        stopped(
                IntStream.range(0, 150)
                        .mapToObj(i -> "n" + (i + 1) + "($x) <- n" + i + "($x);")
                        .collect(Collectors.joining("", "n0(1);", "")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\".matches(\"((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}\")",
                "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\".matches(\"(x{1000}){1000}\")",
                "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\".matches(\"(((a{1,999}){1,999}){1,999})\")"
            })
    void regular_expressions_cannot_unfold(String expression) {
        stopped("check if " + expression + ";");
    }

    @Test
    void regular_expressions_do_not_backtrack() {
        String text = "a".repeat(2000);
        var evaluation = evaluate("check if \"" + text + "!\".matches(\"^(a+)+$\");");
        assertThat(evaluation.outcome()).isInstanceOf(Outcome.Denied.class);
        stopped(
                "t(\""
                        + text
                        + "\");"
                        + facts("n", 100)
                        + "check if n($x), t($t), $t.matches(\"^(a|a)*(a|a)*(a|a)*(a|a)*b$\");");
    }

    @Test
    void texts_cannot_double_for_ever() {
        stopped(
                "t(\""
                        + "x".repeat(200)
                        + "\"); check if t($t), "
                        + doubled(10)
                        + ".length() === 1;");
    }

    /// An expression that makes a text 2^n times as long.
    private static String doubled(int n) {
        return n == 0 ? "$t" : "(" + doubled(n - 1) + " + " + doubled(n - 1) + ")";
    }

    @Test
    void a_bound_cannot_be_caught() {
        stopped(
                facts("n", 100)
                        + "check if n($a), n($b), n($c), ([1, 2, 3].all($x -> [1, 2, 3].all($y -> $y < 0)) === true).try_or(false);");
    }

    @Test
    void large_terms_cost_what_they_weigh() {
        String array =
                IntStream.range(0, 2000)
                        .mapToObj(String::valueOf)
                        .collect(Collectors.joining(", ", "[", "]"));
        stopped(
                "a("
                        + array
                        + "); b("
                        + array
                        + ");"
                        + facts("n", 200)
                        + "p($n) <- n($n), a($x), b($x);");
    }

    @Test
    void numbers_do_not_wrap() {
        for (var expression :
                List.of(
                        "9223372036854775807 + 1 === 0",
                        "-9223372036854775808 - 1 === 0",
                        "9223372036854775807 * 2 === 0",
                        "-9223372036854775808 / -1 === 0",
                        "1 / 0 === 0")) {
            stopped("check if " + expression + ";");
        }
    }

    @Test
    void depth_is_bounded() {
        refused(nested(70));
        assertThat(BlockReader.read(nested(10), new Symbols(), false).facts()).hasSize(1);
    }

    private static byte[] nested(int depth) {
        Term term = new Term.Int(1);
        for (int i = 0; i < depth; i++) {
            term = new Term.Array(List.of(term));
        }
        return BlockWriter.write(
                Block.of(List.of(Predicate.of("a", term)), List.of(), List.of()),
                new Symbols(),
                false);
    }

    private static void refused(byte[] block) {
        assertThatThrownBy(() -> BlockReader.read(block, new Symbols(), false))
                .isInstanceOf(BiscuitException.class);
    }

    @Test
    void sizes_are_bounded() {
        var huge =
                Biscuit.mint(new DatalogText("a(\"" + "x".repeat(70_000) + "\");").block(), root);
        assertThatThrownBy(() -> Biscuit.parse(huge.bytes())).hasMessageContaining("longer than");
        var many = Biscuit.mint(new DatalogText("a(1);").block(), root);
        for (int i = 0; i < 70; i++) {
            many = many.append(Block.of(List.of(), List.of(), List.of()));
        }
        byte[] bytes = many.bytes();
        assertThatThrownBy(() -> Biscuit.parse(bytes)).hasMessageContaining("more signatures");
    }

    @Test
    void keys_are_not_looked_at_beyond_what_is_checked() {
        var token = Biscuit.mint(new DatalogText("a(1);").block(), root);
        var out = new ProtoWriter().message(2, token.blocks().getFirst()::write);
        for (int i = 0; i < 9; i++) {
            // the ninth is no key at all, which nobody gets to see
            byte[] key = HexFormat.of().parseHex(i < 8 ? P256_KEY : "02" + "ff".repeat(32));
            out.message(
                    3,
                    w ->
                            w.bytes(1, new byte[0])
                                    .message(2, k -> k.varint(1, 1).bytes(2, key))
                                    .bytes(3, new byte[0])
                                    .varint(5, 1));
        }
        byte[] bytes = out.message(4, w -> w.bytes(1, token.proof())).done();
        assertThatThrownBy(() -> Biscuit.parse(bytes)).hasMessageContaining("more signatures");
    }

    @Test
    void tables_of_keys_are_bounded() {
        assertThat(BlockReader.read(table(8), new Symbols(), false).facts()).isEmpty();
        refused(table(9));
    }

    private static byte[] table(int keys) {
        var out = new ProtoWriter().varint(3, Version.OLDEST);
        for (int i = 0; i < keys; i++) {
            out.message(8, KeyPair.make().key()::write);
        }
        return out.done();
    }

    @Test
    void one_meaning_has_one_spelling() {
        var symbols = new ArrayList<byte[]>();
        symbols.add(new byte[] {0x18, (byte) 0x83, 0x00}); // a number with a zero in front
        symbols.add(new byte[] {0x18, 3, 0x18, 3}); // the version twice
        symbols.add(new byte[] {0x18, 3, 0x78, 1}); // a field that nobody knows
        symbols.add(new byte[] {0x18, 2}); // an old version
        symbols.add(new byte[] {0x18, 7}); // a new one
        symbols.add(new byte[] {0x18, 3, 0x0A, 4, 'r', 'e', 'a', 'd'}); // a symbol that is known
        symbols.add(new byte[] {0x18, 3, 0x0A, 1, (byte) 0xFF}); // no text
        symbols.forEach(HostileTest::refused);
        assertThat(BlockReader.read(new byte[] {0x18, 3}, new Symbols(), false).facts()).isEmpty();
    }
}
