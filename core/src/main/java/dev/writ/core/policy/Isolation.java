// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import java.util.List;
import java.util.TreeSet;

/// How strongly a run must be kept apart from the machine.
public sealed interface Isolation {
    /// The backends there are names for.
    List<String> BACKENDS =
            List.of("process", "namespace", "container", "gvisor", "microvm", "wasm");

    /// What a run can be isolated against.
    List<String> THREATS =
            List.of("kernel-exploit", "resource-exhaustion", "network-access", "host-visibility");

    /// The best of this machine that enforces every rule.
    record Auto() implements Isolation {
        @Override
        public String toString() {
            return "auto";
        }
    }

    /// This backend.
    record Backend(String name) implements Isolation {
        @Override
        public String toString() {
            return name;
        }
    }

    /// Any backend that holds against these threats.
    record Against(List<String> threats) implements Isolation {
        public Against {
            threats = List.copyOf(new TreeSet<>(threats));
        }

        @Override
        public String toString() {
            return "against: " + threats;
        }
    }

    /// Whether whoever gets this gets at least what `other` asks for.
    default boolean isAtLeast(Isolation other) {
        return switch (other) {
            case Auto _ -> true;
            case Backend _ -> equals(other);
            case Against(var threats) ->
                    this instanceof Against(var mine) && mine.containsAll(threats);
        };
    }
}
