// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.trust.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// The samples of the specification: each token, what it says, and what becomes of it.
class SamplesTest {
    @TestFactory
    List<DynamicTest> every_sample_comes_out_as_the_specification_says() throws IOException {
        // The number that stands for the authorizer is larger than JSON can say.
        String json =
                new String(resource("samples.json"), UTF_8).replace("18446744073709551615", "-1");
        var samples = object(Json.read(json.getBytes(UTF_8), 1_000_000));
        var root = DatalogText.key("ed25519/" + samples.get("root_public_key"));
        var tests = new ArrayList<DynamicTest>();
        for (var sample : list(samples.get("testcases"))) {
            var fields = object(sample);
            object(fields.get("validations"))
                    .forEach(
                            (variant, validation) ->
                                    tests.add(
                                            DynamicTest.dynamicTest(
                                                    fields.get("filename") + " " + variant,
                                                    () ->
                                                            check(
                                                                    root,
                                                                    fields,
                                                                    object(validation)))));
        }
        assertThat(tests).hasSize(50);
        return tests;
    }

    private static void check(PublicKey root, Map<?, ?> sample, Map<?, ?> validation)
            throws IOException {
        String name = text(sample.get("filename"));
        byte[] bytes = resource(name);
        var result = object(validation.get("result"));
        // Ours by choice: functions of the host are refused at once.
        if (result.toString().contains("Format") || name.contains("035_ffi")) {
            assertThatThrownBy(() -> Biscuit.parse(bytes).verify(root))
                    .isInstanceOf(BiscuitException.class);
            return;
        }
        var token = Biscuit.parse(bytes).verify(root);
        assertThat(token.token().bytes()).as("written as it was read").isEqualTo(bytes);
        assertThat(token.blocks().stream().<Object>map(VerifiedBiscuit.Said::revocationId).toList())
                .isEqualTo(list(validation.get("revocation_ids")));
        checkBlocks(token, list(sample.get("token")));
        var authorizer = new DatalogText(text(validation.get("authorizer_code"))).authorizer();
        var evaluation = authorizer.authorize(token);
        checkOutcome(evaluation.outcome(), result);
        if (validation.get("world") instanceof Map<?, ?> world && result.containsKey("Ok")) {
            var facts = new TreeSet<String>();
            for (var group : list(world.get("facts"))) {
                for (var fact : list(object(group).get("facts"))) {
                    facts.add(new DatalogText(fact + ";").facts.getFirst().toString());
                }
            }
            assertThat(new TreeSet<>(evaluation.facts())).isEqualTo(facts);
        }
    }

    private static void checkBlocks(VerifiedBiscuit token, List<?> blocks) {
        for (int i = 0; i < blocks.size(); i++) {
            String code = text(object(blocks.get(i)).get("code"));
            var block = token.blocks().get(i).block();
            assertThat(block).isEqualTo(new DatalogText(code).block());
            assertThat(new DatalogText(block.toString()).block()).isEqualTo(block);
        }
    }

    private static void checkOutcome(Outcome outcome, Map<?, ?> result) {
        if (result.get("Ok") instanceof Number policy) {
            assertThat(outcome).isEqualTo(new Outcome.Allowed(policy.intValue()));
            return;
        }
        String error = result.toString();
        if (error.contains("Execution") || error.contains("InvalidBlockRule")) {
            assertThat(outcome).isInstanceOf(Outcome.Stopped.class);
            return;
        }
        var refused =
                object(object(object(result.get("Err")).get("FailedLogic")).get("Unauthorized"));
        var failed = new ArrayList<String>();
        for (var check : list(refused.get("checks"))) {
            object(check)
                    .forEach(
                            (kind, where) ->
                                    failed.add(
                                            (kind.equals("Block")
                                                            ? object(where).get("block_id")
                                                            : -1)
                                                    + " "
                                                    + object(where).get("check_id")));
        }
        assertThat(outcome).isInstanceOf(Outcome.Denied.class);
        var denied = (Outcome.Denied) outcome;
        assertThat(denied.policy()).isEqualTo(Optional.of(0));
        assertThat(denied.failed().stream().map(f -> f.block() + " " + f.check()).toList())
                .isEqualTo(failed);
    }

    static byte[] resource(String name) throws IOException {
        try (var in = SamplesTest.class.getResourceAsStream("samples/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }

    private static Map<?, ?> object(@Nullable Object value) {
        return (Map<?, ?>) Objects.requireNonNull(value);
    }

    private static List<?> list(@Nullable Object value) {
        return (List<?>) Objects.requireNonNull(value);
    }

    private static String text(@Nullable Object value) {
        return (String) Objects.requireNonNull(value);
    }
}
