// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.broker.Approver;
import dev.writ.core.capability.Host;
import dev.writ.core.sandbox.Proxy;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Where datagrams may go is decided by who decides it for connections.
class DatagramWayTest {
    private static Optional<Proxy.Way> open(Stage stage, String host, int port) {
        return stage.egress.datagrams(Host.parseLoose(host, 0), port);
    }

    @Test
    void a_name_leads_to_an_address_that_a_rule_for_udp_names_and_to_no_other() {
        try (var stage =
                new Stage(
                        "allow net:udp://time.test:123",
                        "allow net:udp://time.test:124",
                        "allow net:udp://127.0.0.1:123",
                        "allow net:127.0.0.1:124")) {
            assertThat(open(stage, "time.test", 123).orElseThrow().address().toString())
                    .isEqualTo("/127.0.0.1:123");
            assertThat(open(stage, "127.0.0.1", 123)).isPresent();
            assertThat(open(stage, "time.test", 124))
                    .as("a rule for TCP opens no address for UDP")
                    .isEmpty();
            assertThat(open(stage, "nowhere.test", 123)).isEmpty();

            Stage.await(() -> !stage.refusals().isEmpty());
            assertThat(stage.refusals())
                    .singleElement()
                    .satisfies(
                            refusal -> {
                                assertThat(refusal.code()).isEqualTo("egress.address");
                                assertThat(refusal.action().toString()).contains("UDP", "124");
                                assertThat(refusal.toString()).contains("net:udp://127.0.0.1:124");
                            });
        }
    }

    @Test
    void it_counts_as_a_connection_and_its_bytes_count() throws Exception {
        var bounds = Bounds.DEFAULT.withConnections(1).withAmounts(0, 100, 0);
        try (var stage = new Stage(Approver.nobody(), bounds, "allow net:udp://127.0.0.1:123")) {
            var way = open(stage, "127.0.0.1", 123).orElseThrow();
            assertThat(open(stage, "127.0.0.1", 123)).isEmpty();
            assertThat(way.mayLeave(60)).isTrue();
            assertThat(way.mayReturn(40)).isTrue();
            assertThat(way.mayLeave(1)).isFalse();
            assertThat(way.isIdle()).isFalse();

            way.close();

            Stage.await(() -> !stage.sent().isEmpty());
            var event = stage.sent().getFirst();
            assertThat(event.scheme()).isEqualTo("udp");
            assertThat(event.up()).isEqualTo(60);
            assertThat(event.down()).isEqualTo(40);
            assertThat(open(stage, "127.0.0.1", 123)).isPresent();
        }
    }
}
