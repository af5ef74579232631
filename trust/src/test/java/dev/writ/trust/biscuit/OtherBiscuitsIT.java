// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.trust.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tokens of ours in the hands of others, and theirs in ours: the same texts must become tokens
/// that both read alike, with the same revocation ids and the same verdicts. Each of the others is
/// also shown to refuse a changed bit, so that it is known to look.
class OtherBiscuitsIT {
    private static final Path SCRIPTS = Path.of("src/test/biscuit").toAbsolutePath();
    private static final int TOKENS = 250;

    @TempDir private Path folder;

    @Test
    void biscuit_wasm_agrees_in_both_directions() throws Exception {
        assumeTrue(has("node") && has("npm"), "node and npm are not here");
        for (var name : List.of("package.json", "package-lock.json", "check.mjs")) {
            Files.copy(SCRIPTS.resolve(name), folder.resolve(name));
        }
        int installed = run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
        assumeTrue(installed == 0, "@biscuit-auth/biscuit-wasm could not be installed by npm");

        compare(true, "node", "--experimental-wasm-modules", "--no-warnings", "check.mjs");
    }

    @Test
    void biscuit_python_agrees_in_both_directions() throws Exception {
        assumeTrue(has("python3"), "python3 is not here");
        assumeTrue(run("python3", "-m", "venv", "venv") == 0, "python3 has no venv");
        Files.copy(SCRIPTS.resolve("check.py"), folder.resolve("check.py"));
        int installed =
                run(
                        "venv/bin/pip",
                        "-q",
                        "install",
                        "--only-binary",
                        ":all:",
                        "biscuit-python==0.4.0");
        assumeTrue(installed == 0, "biscuit-python could not be installed by pip");

        compare(false, folder.resolve("venv/bin/python").toString(), "check.py");
    }

    /// @param named whether the other side says which checks failed, and seals
    private void compare(boolean named, String... command) throws Exception {
        var cases = new ArrayList<Generated>();
        var lines = new ArrayList<String>();
        var ours = new ArrayList<String>();
        for (int seed = 0; seed < TOKENS; seed++) {
            var generated = new Generated(seed);
            var token = Biscuit.parse(generated.token().bytes());
            var evaluation = evaluate(generated, token.verify(generated.root.key()));
            cases.add(generated);
            ours.add(verdict(evaluation.outcome(), named) + ids(token, generated));
            lines.add(Json.write(line(generated, token, evaluation)));
        }
        Files.writeString(folder.resolve("cases"), String.join("\n", lines) + "\n");
        var words = new ArrayList<>(List.of(command));
        words.addAll(List.of("cases", "answers"));
        assertThat(run(words.toArray(String[]::new))).as(output()).isZero();
        var answers = Files.readAllLines(folder.resolve("answers"));
        assertThat(answers).hasSize(TOKENS);
        int allowed = 0;
        int late = 0;
        int snapshots = 0;
        for (int i = 0; i < TOKENS; i++) {
            var answer =
                    (Map<?, ?>)
                            Objects.requireNonNull(
                                    Json.read(answers.get(i).getBytes(UTF_8), 1_000_000));
            assertThat(answer.get("failure")).isNull();
            assertThat(answer.get("tampered")).isEqualTo("refused");
            if ("timeout".equals(answer.get("verdict"))
                    || "timeout".equals(answer.get("madeVerdict"))) {
                late++;
                continue;
            }
            String code = cases.get(i).parts + "\n" + cases.get(i).authorizer;
            assertThat(answer.get("verdict") + "" + answer.get("ids"))
                    .as(code)
                    .isEqualTo(ours.get(i));
            compareMade(cases.get(i), answer, named);
            snapshots += compareSnapshots(code, answer);
            allowed += ours.get(i).startsWith("allow") ? 1 : 0;
        }
        assertThat(late).as("too slow for its own bound").isLessThan(TOKENS / 10);
        assertThat(allowed)
                .as("some are allowed, some are not")
                .isBetween(TOKENS / 20, TOKENS * 19 / 20);
        assertThat(snapshots).as("of both").isGreaterThan(named ? -1 : TOKENS / 3);
    }

    /// Ours evaluated by them, where they can, and theirs by us. biscuit-wasm knows none.
    ///
    /// @return 1 if there was one of each
    private static int compareSnapshots(String code, Map<?, ?> answer) {
        if (answer.get("snapshot") instanceof String theirs) {
            var evaluation =
                    Evaluation.again(Base64.getUrlDecoder().decode(theirs), Limits.DEFAULT);
            assertThat(verdict(evaluation.outcome(), false))
                    .as(code)
                    .isEqualTo(answer.get("madeVerdict"));
        }
        if (answer.get("snapshotVerdict") instanceof String verdict && !verdict.equals("timeout")) {
            assertThat(verdict).as(code).isEqualTo(answer.get("verdict"));
        }
        return answer.get("snapshot") != null && answer.get("snapshotVerdict") != null ? 1 : 0;
    }

    private static void compareMade(Generated generated, Map<?, ?> answer, boolean named) {
        var token =
                Biscuit.parse(Base64.getUrlDecoder().decode(String.valueOf(answer.get("token"))));
        var verified = token.verify(generated.root.key());
        assertThat(verified.blocks().stream().map(VerifiedBiscuit.Said::block).toList())
                .isEqualTo(generated.parts.stream().map(Generated::read).toList());
        var evaluation = evaluate(generated, verified);
        assertThat(verdict(evaluation.outcome(), named) + ids(token, generated))
                .isEqualTo(answer.get("madeVerdict") + "" + answer.get("madeIds"));
    }

    private static Evaluation evaluate(Generated generated, VerifiedBiscuit token) {
        return new DatalogText(generated.authorizer).authorizer().authorize(token);
    }

    private static String ids(Biscuit token, Generated generated) {
        return token.verify(generated.root.key()).blocks().stream()
                .map(VerifiedBiscuit.Said::revocationId)
                .toList()
                .toString();
    }

    private static String verdict(Outcome outcome, boolean named) {
        return switch (outcome) {
            case Outcome.Allowed(var policy) -> "allow " + policy;
            case Outcome.Denied(_, var failed) when named && !failed.isEmpty() ->
                    failed.stream()
                            .map(f -> f.block() + "." + f.check())
                            .collect(Collectors.joining(" ", "deny ", ""));
            case Outcome.Denied _ -> "deny";
            case Outcome.Stopped _ -> named ? "stopped" : "deny";
        };
    }

    private static Map<String, @Nullable Object> line(
            Generated generated, Biscuit token, Evaluation evaluation) {
        var blocks = new ArrayList<Map<String, @Nullable Object>>();
        for (var part : generated.parts) {
            var block = new HashMap<String, @Nullable Object>();
            block.put("code", part.code());
            block.put("giver", part.giver() == null ? null : hex(part.giver().secret()));
            blocks.add(block);
        }
        var line = new HashMap<String, @Nullable Object>();
        line.put("root", hex(generated.root.secret()));
        line.put("blocks", blocks);
        line.put("sealed", generated.sealed);
        line.put("authorizer", generated.authorizer);
        line.put("token", base64(token.bytes()));
        line.put("snapshot", base64(evaluation.snapshot()));
        return line;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().encodeToString(bytes);
    }

    private boolean has(String program) throws Exception {
        try {
            return run(program, "--version") == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }

    private int run(String... command) throws Exception {
        var process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output").toFile())
                        .start();
        if (!process.waitFor(180, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return -1;
        }
        return process.exitValue();
    }
}
