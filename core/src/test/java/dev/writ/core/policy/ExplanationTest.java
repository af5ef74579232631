// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is said about a refusal.
class ExplanationTest {
    private static final Scope SCOPE =
            new Scope(FilePath.of("/home/op/project"), FilePath.of("/home/op"), List.of());

    private static String suggestion(Action action) {
        return Explanation.of(Policy.of(SCOPE, List.of(), List.of()), action).suggestion();
    }

    @Test
    void what_is_missing_is_suggested() {
        assertThat(suggestion(new Action.ReadFile(FilePath.of("/home/op/project/a"))))
                .isEqualTo("add `read:./a` to `allow`");
        assertThat(suggestion(new Action.ReadFile(FilePath.of("/home/op/other"))))
                .isEqualTo("add `read:~/other` to `allow`");
        assertThat(suggestion(new Action.ReadFile(FilePath.of("/home/op/project"))))
                .isEqualTo("add `read:.` to `allow`");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/home", "/home/op"})
    void nobody_is_advised_to_open_all_that_the_folder_lies_in(String above) {
        assertThat(suggestion(new Action.ReadFile(FilePath.of(above)))).isEmpty();
        assertThat(suggestion(new Action.WriteFile(FilePath.of(above)))).isEmpty();
    }
}
