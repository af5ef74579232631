// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.HostPattern;
import dev.writ.core.capability.Net;
import dev.writ.core.capability.Scheme;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Secret;
import dev.writ.core.capability.SecretForm;
import dev.writ.core.capability.SecretSource;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.SecretDefinition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One secret with one form, for `https://api.example.com`.
final class Safe {
    static final String VALUE = "ghp_s3cr3t/+\"&' value=42";

    final Secrets secrets;
    final String placeholder;

    Safe(String as) {
        this(as, VALUE);
    }

    Safe(String as, String value) {
        secrets =
                Secrets.read(
                        List.of(
                                definition("github", as, "GITHUB_TOKEN"),
                                definition("other", "X-Other: {}", "OTHER")),
                        new SecretReader(Map.of("GITHUB_TOKEN", value, "OTHER", "another value")));
        placeholder =
                secrets.environment(Policy.of(Scope.SPELLED_OUT, List.of(), List.of()), Map.of())
                        .getOrDefault("GITHUB_TOKEN", "");
    }

    static SecretDefinition definition(String name, String as, String variable) {
        String host = name.equals("github") ? "api" : name;
        return new SecretDefinition(
                new SecretSource.Variable(variable),
                (Secret)
                        Capability.parse(
                                "secret:" + name + "@https://" + host + ".example.com",
                                Scope.SPELLED_OUT),
                SecretForm.parse(as),
                Optional.of(variable));
    }

    Sending begin(TestHead head) {
        return begin(head, "api.example.com");
    }

    Sending begin(TestHead head, String host) {
        return secrets.begin(head, Scheme.HTTPS, host(host), 443, Set.of("github", "other"));
    }

    Exchange begun(TestHead head) {
        return (Exchange) begin(head);
    }

    static Host host(String text) {
        var net = (Net) Capability.parse("net:" + text + ":443", Scope.SPELLED_OUT);
        return ((HostPattern.Exact) net.host()).host();
    }
}
