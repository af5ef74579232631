// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.Vectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Runs `vectors/capabilities.json` and `vectors/covers.json`, which every implementation must
/// agree on.
class CapabilityVectorsTest {
    private static final Vectors CAPABILITIES = Vectors.read("capabilities.json");
    private static final Vectors COVERS = Vectors.read("covers.json");

    @Test
    void there_are_enough_vectors_to_mean_something() {
        assertThat(CAPABILITIES.cases()).hasSizeGreaterThan(400);
        assertThat(COVERS.cases()).hasSizeGreaterThan(150);
    }

    @TestFactory
    Stream<DynamicTest> a_capability_covers_exactly_the_actions_it_should() {
        return CAPABILITIES.cases().stream()
                .map(
                        c -> {
                            String capability = Vectors.text(c, "capability");
                            String action = Vectors.text(c, "action");
                            String why = Vectors.text(c, "why");
                            return DynamicTest.dynamicTest(
                                    capability + " / " + action + " (" + why + ")",
                                    () ->
                                            assertThat(
                                                            outcome(
                                                                    capability,
                                                                    action,
                                                                    CAPABILITIES.scope()))
                                                    .as(why)
                                                    .isEqualTo(Vectors.text(c, "expected")));
                        });
    }

    @TestFactory
    Stream<DynamicTest> covers_is_exact_inclusion() {
        return COVERS.cases().stream()
                .map(
                        c -> {
                            String a = Vectors.text(c, "a");
                            String b = Vectors.text(c, "b");
                            String why = Vectors.text(c, "why");
                            var scope = COVERS.scope();
                            return DynamicTest.dynamicTest(
                                    a + " covers " + b + " (" + why + ")",
                                    () ->
                                            assertThat(
                                                            Capability.parse(a, scope)
                                                                    .covers(
                                                                            Capability.parse(
                                                                                    b, scope)))
                                                    .as(why)
                                                    .isEqualTo(c.get("covers")));
                        });
    }

    private static String outcome(String capabilityText, String actionText, Scope scope) {
        Capability capability;
        try {
            capability = Capability.parse(capabilityText, scope);
        } catch (SyntaxException e) {
            return "invalid-capability";
        }
        Action action;
        try {
            action = Action.parse(actionText, scope);
        } catch (SyntaxException e) {
            return "invalid-action";
        }
        return Grants.covers(capability, action) ? "covered" : "not-covered";
    }
}
