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
        granted.put(
                PATH,
                policy.scope().programs().stream()
                        .filter(folder -> !isWritable(policy, folder))
                        .map(FilePath::toString)
                        .collect(Collectors.joining(":")));
        return granted;
    }

    /// Whether a program could be put into `folder` from inside: then its name would stand for
    /// whatever the agent wants.
    public static boolean isWritable(Policy policy, FilePath folder) {
        return !(policy.decide(new Action.WriteFile(folder.resolve("program")))
                instanceof Decision.Deny);
    }
}
