// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Tokens and authorizers by chance, the same for the same seed: facts, rules, checks of each kind,
/// scopes, blocks of others, seals. One in three has an expression of its own to try.
final class Generated {
    record Part(String code, @Nullable KeyPair giver) {}

    private static final List<String> EXPRESSIONS =
            List.of(
                    "1 + 2 * 3 === 7",
                    "(1 + 2) * 3 === 9",
                    "7 / 2 === 3",
                    "-7 / 2 === -3",
                    "1 / 0 === 1",
                    "9223372036854775807 + 1 === 0",
                    "6 & 3 === 2",
                    "(6 & 3) === 2",
                    "(6 | 3) === 7",
                    "(6 ^ 3) === 5",
                    "1 < 2 && 2 < 1",
                    "1 < 2 || 1 / 0 === 1",
                    "!(1 < 2)",
                    "1 === \"1\"",
                    "1 == \"1\"",
                    "1 != \"1\"",
                    "null == null",
                    "null === null",
                    "null != 1",
                    "1 !== 2",
                    "\"abc\".starts_with(\"ab\")",
                    "\"abc\".ends_with(\"ab\")",
                    "\"abc\".contains(\"b\")",
                    "\"abc\".length() === 3",
                    "\"aé\".length() === 3",
                    "\"a\" + \"b\" === \"ab\"",
                    "\"file123\".matches(\"file[0-9]+\")",
                    "\"x\".matches(\"(\")",
                    "\"ab\".matches(\"^b\")",
                    "\"AB\".matches(\"(?i)ab$\")",
                    "\"aaa\".matches(\"^a{2,3}$\")",
                    "{1, 2, 3}.contains(2)",
                    "{1, 2}.contains({1})",
                    "{1, 2}.intersection({2, 3}) === {2}",
                    "{1, 2}.union({2, 3}).length() === 3",
                    "{1, 2}.contains(\"1\")",
                    "{,}.length() === 0",
                    "[1, \"a\", null].contains(null)",
                    "[1, 2, 3].starts_with([1])",
                    "[1, 2].get(1) === 2",
                    "[1, 2].get(7) == null",
                    "[1, 2].get(-1) == null",
                    "[1, 2].get(\"a\") == null",
                    "{\"a\": 1, 2: \"b\"}.get(\"a\") === 1",
                    "{\"a\": 1}.contains(\"a\")",
                    "{\"a\": 1}.length() === 1",
                    "{\"a\": 1} == {\"a\": 1}",
                    "{\"a\": 1}.any($p -> $p.get(0) === \"a\")",
                    "[1, 2, 3].all($x -> $x < 4)",
                    "{1, 2}.any($x -> $x > 1)",
                    "[1].any($x -> [2].any($x -> true))",
                    "[1].all($x -> 1)",
                    "(1 / 0).try_or(3) === 3",
                    "(1 / 1).try_or(3) === 1",
                    "(true && \"a\").try_or(true)",
                    "1.type() === \"integer\"",
                    "null.type() === \"null\"",
                    "[].type() === \"array\"",
                    "{,}.type() === \"set\"",
                    "hex:00ff == hex:00ff",
                    "hex:00ff.length() === 2",
                    "2020-01-01T00:00:00Z < 2021-01-01T00:00:00Z",
                    "2020-01-01T00:00:00Z == 1577836800",
                    "true && 1",
                    "false && 1",
                    "\"a\" < \"b\"",
                    "true === !false");

    final KeyPair root = KeyPair.make();
    final List<Part> parts = new ArrayList<>();
    final boolean sealed;
    final String authorizer;
    private final Random random;
    private final KeyPair giver = KeyPair.make();

    Generated(long seed) {
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        int blocks = 1 + random.nextInt(4);
        for (int i = 0; i < blocks; i++) {
            boolean foreign = i > 0 && random.nextInt(3) == 0;
            parts.add(new Part(block(seed, i), foreign ? giver : null));
        }
        sealed = random.nextInt(4) == 0;
        authorizer = authorizer();
    }

    Biscuit token() {
        var token = Biscuit.mint(read(parts.getFirst()), root);
        for (var part : parts.subList(1, parts.size())) {
            token =
                    part.giver() == null
                            ? token.append(read(part))
                            : token.append(read(part), part.giver());
        }
        return sealed ? token.seal() : token;
    }

    static Block read(Part part) {
        return new DatalogText(part.code()).block();
    }

    private String block(long seed, int number) {
        var code = new StringBuilder();
        for (int i = random.nextInt(5); i >= 0; i--) {
            code.append(fact()).append(";\n");
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            code.append(rule()).append(";\n");
        }
        if (number > 0 || random.nextBoolean()) {
            for (int i = random.nextInt(2); i >= 0; i--) {
                code.append(check()).append(";\n");
            }
        }
        if (seed % 3 == 0 && number == 0) {
            String expression = EXPRESSIONS.get((int) (seed / 3 % EXPRESSIONS.size()));
            code.append("check if ").append(expression).append(";\n");
        }
        return code.toString();
    }

    private String fact() {
        return switch (random.nextInt(4)) {
            case 0 -> "n(" + number() + ")";
            case 1 -> "s(" + string() + ")";
            case 2 -> "p(" + string() + ", " + number() + ")";
            default -> "t(" + term() + ")";
        };
    }

    private String term() {
        return switch (random.nextInt(9)) {
            case 0 -> "hex:" + Integer.toHexString(0x1000 + random.nextInt(0xEFFF));
            case 1 -> "true";
            case 2 -> "202" + random.nextInt(9) + "-0" + (1 + random.nextInt(9)) + "-11T10:09:08Z";
            case 3 -> "{" + number() + ", " + number() + "}";
            case 4 -> "[" + string() + ", [" + number() + ", null]]";
            case 5 -> "{\"k\": " + string() + ", 7: " + number() + "}";
            case 6 -> "null";
            case 7 -> string();
            default -> "-" + number();
        };
    }

    private String rule() {
        return switch (random.nextInt(4)) {
            case 0 -> "n($x) <- p($s, $x), s($s)" + scope();
            case 1 -> "s($s) <- p($s, $x), $x > " + number() + scope();
            case 2 -> "p($s, $x) <- s($s), n($x), $x < " + number() + scope();
            default -> "q($a, $b) <- n($a), n($b), $a < $b || $a === " + number() + scope();
        };
    }

    private String check() {
        return switch (random.nextInt(6)) {
            case 0 -> "check if n($x), $x > " + number() + scope();
            case 1 -> "check if s(" + string() + ")" + scope() + " or n($x), p($s, $x)";
            case 2 -> "check all p($s, $x), $x < " + (3 + random.nextInt(5)) + scope();
            case 3 -> "reject if p(" + string() + ", $x)" + scope();
            case 4 -> "reject if n(" + number() + ") or s(" + string() + ")";
            default -> "check if n($x), [0, 1, 2, 3].contains($x), t($t)" + scope();
        };
    }

    private String scope() {
        return switch (random.nextInt(6)) {
            case 0 -> " trusting authority";
            case 1 -> " trusting previous";
            case 2 -> " trusting " + giver.key();
            case 3 -> " trusting authority, " + giver.key();
            default -> "";
        };
    }

    private String authorizer() {
        return fact()
                + "; "
                + fact()
                + "; n(3); s(\"a\");\n"
                + rule()
                + ";\n"
                + (random.nextInt(3) == 0 ? check() + ";\n" : "")
                + "deny if p("
                + string()
                + ", "
                + number()
                + ");\n"
                + "allow if n($x), s($s)"
                + scope()
                + ";\n"
                + (random.nextBoolean() ? "allow if true;\n" : "");
    }

    private String number() {
        return String.valueOf(random.nextInt(6));
    }

    private String string() {
        return "\"" + "abcd".charAt(random.nextInt(4)) + "\"";
    }
}
