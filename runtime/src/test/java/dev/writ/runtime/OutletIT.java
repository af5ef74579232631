// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Source;
import dev.writ.runtime.policy.PolicyLoader;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Requests that a host makes for the agent.
class OutletIT {
    @TempDir Path temporary;

    private Session session() throws Exception {
        var folder = temporary.toRealPath();
        var variables = Map.of("PATH", "/usr/bin:/bin", "HOME", folder.toString());
        var here = FilePath.of(folder.toString());
        var config = Config.of(folder, variables);
        var file =
                Files.writeString(
                        folder.resolve("writ.yaml"),
                        "version: 1\nallow: [\"net:GET=http://127.0.0.1:9/ok\"]\n");
        var policy =
                new PolicyLoader(config.scope(here), config.ownFolders())
                        .profile("workspace", Source.of("test"))
                        .file(file, "writ.yaml")
                        .load();
        return new Writ(variables).open(policy, here);
    }

    @Test
    void a_session_in_which_no_program_starts_has_a_whole_record() throws Exception {
        var session = session();
        try (session) {
            var outlet = session.outlet().orElseThrow();
            var to = outlet.address();
            try (var socket = new Socket(to.getAddress(), to.getPort())) {
                String request =
                        "GET http://127.0.0.1:9/other HTTP/1.1\r\nHost: 127.0.0.1:9\r\nConnection: close\r\n"
                                + "Proxy-Authorization: Bearer "
                                + outlet.token()
                                + "\r\n\r\n";
                socket.getOutputStream().write(request.getBytes(US_ASCII));
                assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
                        .startsWith("HTTP/1.1 403");
            }
        }

        assertThat(session.events().getFirst()).isInstanceOf(AuditEvent.Opened.class);
        assertThat(session.events().getLast())
                .isInstanceOfSatisfying(
                        AuditEvent.Closed.class, e -> assertThat(e.exitCode()).isZero());
    }
}
