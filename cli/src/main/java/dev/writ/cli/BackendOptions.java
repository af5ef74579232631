// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Isolation;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.Writ;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The flags that choose what confines, the same for every verb that needs it.
final class BackendOptions {
    static final Option BACKEND = new Option("backend", "NAME", "confine by this backend");
    static final Option ACCEPT_WEAKER =
            new Option("accept-weaker", "NAME", "do without this guarantee where it is missing");

    private static final ProcessBackend PROCESS = new ProcessBackend();

    private BackendOptions() {}

    static Writ writ(Arguments arguments, Policy policy, Approver approver, World world) {
        var writ =
                new Writ(
                        world.variables(),
                        backend(arguments, policy),
                        approver,
                        acceptedWeaker(arguments));
        return NameOptions.resolver(arguments).map(writ::resolvingBy).orElse(writ);
    }

    /// The backend that the flags name, else the one that the policy wants.
    static ProcessBackend backend(Arguments arguments, Policy policy) {
        var named = arguments.value(BACKEND);
        if (named.isPresent()) {
            return find(named.get());
        }
        if (policy.isolation() instanceof Isolation.Backend(var name)) {
            return find(name);
        }
        if (policy.isolation() instanceof Isolation.Against(var threats)) {
            throw new UsageException(
                    "no backend is here yet that holds against "
                            + String.join(", ", threats)
                            + "; `isolation: auto` or `--backend process` uses the one there is");
        }
        return PROCESS;
    }

    private static ProcessBackend find(String name) {
        if (name.equals(PROCESS.name())) {
            return PROCESS;
        }
        String nearest = Nearest.suggestion(name, List.of(PROCESS.name()));
        throw new UsageException(
                "no backend here is called `"
                        + Text.shown(name)
                        + "`; "
                        + (nearest.isEmpty() ? "there is `process`" : nearest));
    }

    private static Set<String> acceptedWeaker(Arguments arguments) {
        return arguments.flags().stream()
                .filter(f -> f.option().equals(ACCEPT_WEAKER))
                .map(Arguments.Given::value)
                .collect(Collectors.toSet());
    }
}
