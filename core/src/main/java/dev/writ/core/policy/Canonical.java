// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Scope;
import dev.writ.core.digest.Sha256;
import java.util.TreeSet;

/// The one text of a policy that does not depend on how it was written down: neither on formatting
/// and order, nor on which file a rule came from, nor on where the folder and the home lie.
public final class Canonical {
    private Canonical() {}

    public static String text(Policy policy) {
        var scope = policy.scope();
        var lines = new TreeSet<String>();
        policy.rules()
                .forEach(r -> lines.add(r.effect().word() + " " + r.capability().text(scope)));
        // Guards without a line are for the files of this installation, not part of what was
        // written.
        policy.guards().stream()
                .filter(g -> g.source().line() > 0)
                .forEach(g -> lines.add("guard " + g.capability().text(scope)));
        policy.secrets().forEach(s -> lines.add(line(s, scope)));
        lines.add("isolation " + policy.isolation());
        return "writ policy 1\n" + String.join("\n", lines) + "\n";
    }

    private static String line(SecretDefinition secret, Scope scope) {
        return "secret "
                + secret.name()
                + " from "
                + secret.from().text(scope)
                + " as "
                + secret.as().text()
                + secret.variable().map(v -> " env " + v).orElse("");
    }

    /// SHA-256 of [#text], as 64 hexadecimal digits.
    public static String digest(Policy policy) {
        return Sha256.hex(text(policy));
    }
}
