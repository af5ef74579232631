// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// What a proxy goes by that no policy says.
///
/// @param variables the operator's: `SSL_CERT_FILE` among them says whom this machine trusts
/// @param roots files with certificates to believe besides those of Java and of this machine
public record Outside(
        Resolver resolver, Bounds bounds, Map<String, String> variables, List<Path> roots) {
    public Outside {
        variables = Map.copyOf(variables);
        roots = List.copyOf(roots);
    }

    /// The names and certificates of this machine.
    public static Outside of(Map<String, String> variables) {
        return new Outside(Resolver.system(), Bounds.DEFAULT, variables, List.of());
    }

    public Outside withVariables(Map<String, String> other) {
        return new Outside(resolver, bounds, other, roots);
    }

    /// The same, with names that lead where `other` says.
    public Outside resolvingBy(Resolver other) {
        return new Outside(other, bounds, variables, roots);
    }
}
