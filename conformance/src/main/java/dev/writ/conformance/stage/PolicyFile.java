// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import dev.writ.conformance.corpus.Group;
import java.util.List;

/// The rules of a group as a Writ policy.
final class PolicyFile {
    private PolicyFile() {}

    static String text(Group.Rules rules, Layout layout) {
        var text = new StringBuilder("version: 1\n");
        append(text, "allow", rules.allow());
        append(text, "deny", rules.deny());
        if (!rules.limits().isEmpty()) {
            text.append("limits:\n");
            rules.limits()
                    .forEach(l -> text.append("  ").append(l.replace("=", ": ")).append('\n'));
        }
        return layout.fill(text.toString());
    }

    private static void append(StringBuilder text, String key, List<String> rules) {
        if (!rules.isEmpty()) {
            text.append(key).append(":\n");
            rules.forEach(r -> text.append("  - '").append(r.replace("'", "''")).append("'\n"));
        }
    }
}
