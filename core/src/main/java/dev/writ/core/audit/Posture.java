// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What a session is kept from, by whom, and what is missing: the plan, as it is recorded.
///
/// @param isolation what was asked for
/// @param guarantees each with who enforces it
/// @param acceptedWeaker guarantees that the operator does without
/// @param kernel what this machine offers, by name
/// @param given where the operator lets names lead, as `NAME=ADDRESS`
public record Posture(
        String isolation,
        List<Guarantee> guarantees,
        List<String> acceptedWeaker,
        Map<String, String> kernel,
        List<String> given) {
    public Posture(
            String isolation,
            List<Guarantee> guarantees,
            List<String> acceptedWeaker,
            Map<String, String> kernel) {
        this(isolation, guarantees, acceptedWeaker, kernel, List.of());
    }

    public Posture {
        guarantees = List.copyOf(guarantees);
        acceptedWeaker = List.copyOf(acceptedWeaker);
        kernel = Map.copyOf(kernel);
        given = List.copyOf(given);
    }

    /// The same, with names that lead where the operator says.
    public Posture giving(List<String> names) {
        return new Posture(isolation, guarantees, acceptedWeaker, kernel, names);
    }

    /// Something that is to be enforced.
    ///
    /// @param name such as `reads` or `network`
    /// @param why it is enforced so, or not at all
    public record Guarantee(String name, Enforcer by, String why) {}

    /// Who enforces a guarantee.
    public enum Enforcer {
        /// The kernel by itself: nothing of it is judged one by one, so nothing of it is recorded.
        KERNEL,
        /// The broker, action by action.
        BROKER,
        NOBODY;

        /// The word for it in output.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
