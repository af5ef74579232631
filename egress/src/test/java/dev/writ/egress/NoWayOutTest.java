// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Policy;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoWayOutTest {
    private final InMemoryAuditLog log = new InMemoryAuditLog();
    private final Policy nothing =
            Policy.of(
                    new Scope(FilePath.of("/work"), FilePath.of("/home"), List.of()),
                    List.of(),
                    List.of());
    private final LookedUp lookedUp =
            new LookedUp(
                    nothing,
                    new Broker(nothing, Approver.nobody(), log, InstantSource.system()),
                    new SessionId("s"));

    @Test
    void a_name_that_no_rule_leads_to_is_written_down_once() {
        assertThat(lookedUp.test(Host.parse("api.example.com", 0))).isFalse();
        assertThat(lookedUp.test(Host.parse("API.example.com.", 0))).isFalse();

        assertThat(log.events()).hasSize(1);
        assertThat(log.events().getFirst().toString())
                .contains("api.example.com", "permitted=false", "which was looked up");
    }

    @Test
    void who_makes_names_up_fills_no_record() {
        for (int i = 0; i < 3_000; i++) {
            lookedUp.test(Host.parse("n" + i + ".example.com", 0));
        }

        assertThat(log.events()).hasSize(1_000);
    }
}
