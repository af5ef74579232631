// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A folder of a session's own: guards against writing do not hold in it, and everything else does.
class OwnFolderTest {
    private static final Scope SCOPE =
            new Scope(FilePath.of("/work"), FilePath.of("/home/op"), List.of());
    private static final Policy POLICY =
            Policy.of(
                            SCOPE,
                            List.of(
                                    rule(Effect.ALLOW, "write:/work"),
                                    rule(Effect.DENY, "write:**/never")),
                            List.of(
                                    rule(Effect.DENY, "write:**/.git/hooks"),
                                    rule(Effect.DENY, "read:**/.env")))
                    .plus(List.of(rule(Effect.ALLOW, "write:/tmp/own")), FilePath.of("/tmp/own"));

    private static Rule rule(Effect effect, String text) {
        return Rule.parse(effect, text, SCOPE, Source.of("test"));
    }

    private static boolean mayWrite(String path) {
        return POLICY.decide(new Action.WriteFile(FilePath.of(path))) instanceof Decision.Allow;
    }

    @Test
    void a_guard_against_writing_holds_everywhere_else() {
        assertThat(mayWrite("/tmp/own/a/.git/hooks/x")).isTrue();
        assertThat(mayWrite("/work/a/.git/hooks/x")).isFalse();
        assertThat(mayWrite("/work/tmp/own/.git/hooks/x")).isFalse();
        assertThat(mayWrite("/tmp/own2/.git/hooks/x")).isFalse();
        assertThat(mayWrite("/tmp/.git/hooks/own")).isFalse();
    }

    @Test
    void denies_and_guards_against_reading_hold_in_it() {
        assertThat(mayWrite("/tmp/own/never")).isFalse();
        assertThat(POLICY.decide(new Action.ReadFile(FilePath.of("/tmp/own/.env"))))
                .isInstanceOf(Decision.Deny.class);
    }

    /// What holds hooks must not leave it as a whole.
    @Test
    void no_folder_is_treated_alike_inside_and_outside() {
        var inside = FilePath.of("/tmp/own/repository");
        var outside = FilePath.of("/work/repository");

        assertThat(POLICY.treatsAlike(inside, outside)).isFalse();
        assertThat(POLICY.treatsAlike(outside, inside)).isFalse();
        assertThat(POLICY.treatsAlike(inside, FilePath.of("/tmp/own/other"))).isTrue();
    }
}
