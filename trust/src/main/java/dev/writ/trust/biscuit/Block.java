// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What one block says.
///
/// @param context free text, of no meaning
public record Block(
        List<Predicate> facts,
        List<Rule> rules,
        List<Check> checks,
        List<Scope> scopes,
        @Nullable String context) {
    public Block {
        facts = List.copyOf(facts);
        rules = List.copyOf(rules);
        checks = List.copyOf(checks);
        scopes = List.copyOf(scopes);
    }

    public static Block of(List<Predicate> facts, List<Rule> rules, List<Check> checks) {
        return new Block(facts, rules, checks, List.of(), null);
    }

    /// As Datalog, a statement a line.
    @Override
    public String toString() {
        var out = new StringBuilder();
        if (!scopes.isEmpty()) {
            out.append("trusting ").append(Rule.join(scopes)).append(";\n");
        }
        facts.forEach(f -> out.append(f).append(";\n"));
        rules.forEach(r -> out.append(r).append(";\n"));
        checks.forEach(c -> out.append(c).append(";\n"));
        return out.toString();
    }
}
