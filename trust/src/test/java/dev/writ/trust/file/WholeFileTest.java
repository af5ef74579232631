// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir Path folder;

    /// Proofs and anchors are written where their reader wants them, maybe beside what an agent
    /// has left.
    @Test
    void links_beside_it_and_in_its_place_are_not_followed() throws IOException {
        var victim = Files.writeString(folder.resolve("victim"), "precious");
        for (var name : new String[] {"out", "out.new"}) {
            Files.createSymbolicLink(folder.resolve(name), victim);
            WholeFile.replaceDurably(folder.resolve("out"), "new".getBytes(UTF_8));
            assertThat(victim).hasContent("precious");
            assertThat(folder.resolve("out")).hasContent("new").isRegularFile();
            assertThat(folder.resolve("out.new")).doesNotExist();
            Files.delete(folder.resolve("out"));
        }
        Files.createSymbolicLink(folder.resolve("out.new"), victim);
        WholeFile.replaceSecretly(folder.resolve("out"), "new".getBytes(UTF_8));
        assertThat(victim).hasContent("precious");
    }
}
