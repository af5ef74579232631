// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The variables of a confined program, built from nothing: what the policy grants, and the few
/// that say where the program is.
public final class Environment {
    /// Without these hardly a program starts; none of them is a secret.
    private static final List<String> BASE = List.of("HOME", "LANG", "TERM", "USER");

    private static final String PATH = "PATH";

    private Environment() {}

    public static Map<String, String> of(Policy policy, Map<String, String> variables) {
        var granted = new HashMap<String, String>();
        variables.forEach(
                (name, value) -> {
                    var decision = policy.decide(new Action.SeeVariable(name));
                    boolean base = BASE.contains(name) && decision instanceof Decision.Unmatched;
                    if (base || decision instanceof Decision.Allow) {
                        granted.put(name, value);
                    }
                });
        granted.put(PATH, path(policy));
        return granted;
    }

    /// Where programs are looked up by name. No folder that the agent can write to: there, a name
    /// would stand for whatever the agent wants.
    private static String path(Policy policy) {
        return policy.scope().programs().stream()
                .filter(
                        folder ->
                                policy.decide(new Action.WriteFile(folder.resolve("program")))
                                        instanceof Decision.Deny)
                .map(FilePath::toString)
                .collect(Collectors.joining(":"));
    }
}
