// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import dev.writ.core.capability.Action;
import dev.writ.core.policy.Explanation;
import dev.writ.runtime.Session;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Why something was refused, by which rule, and what would help: the same wherever it is said.
public final class Denial {
    private Denial() {}

    public static Map<String, @Nullable Object> of(Session session, Action action, String reason) {
        var why = Explanation.of(session.policy(), action);
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put("code", "policy.denied");
        fields.put("action", why.action());
        fields.put("rule", why.rule());
        fields.put("source", why.source());
        fields.put("reason", reason);
        fields.put("remedy", why.suggestion());
        fields.put("audit_id", session.id().value());
        return fields;
    }
}
