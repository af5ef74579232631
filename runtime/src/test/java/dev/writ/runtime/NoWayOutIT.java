// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Source;
import dev.writ.runtime.policy.PolicyLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A session whose policy leads nowhere: what its programs hear, and what is said of it.
class NoWayOutIT {
    @TempDir Path temporary;

    private String said(String... command) throws Exception {
        var folder = temporary.toRealPath();
        var variables = Map.of("PATH", "/usr/bin:/bin", "HOME", folder.toString());
        var here = FilePath.of(folder.toString());
        var config = Config.of(folder, variables);
        var policy =
                new PolicyLoader(config.scope(here), config.ownFolders())
                        .profile("workspace", Source.of("test"))
                        .load();
        try (var session = new Writ(variables).open(policy, here)) {
            var outcome = session.run(List.of(command));
            return outcome.exitCode()
                    + " "
                    + outcome.output()
                    + outcome.errors()
                    + session.events();
        }
    }

    @Test
    void a_name_does_not_exist_and_the_record_says_which() throws Exception {
        assertThat(said("getent", "ahosts", "api.example.com"))
                .startsWith("2 ")
                .containsOnlyOnce("host=api.example.com, port=443], permitted=false");
    }

    @Test
    void datagrams_are_refused_where_they_are_sent() throws Exception {
        assertThat(
                        said(
                                "bash",
                                "-c",
                                "exec 3<>/dev/udp/192.0.2.1/99 && echo connected; echo x >&3; sleep 1"))
                .contains("connected", "transport=UDP, host=192.0.2.1, port=99], permitted=false");
    }
}
