// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.digest.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What is said about files at the end is about those that were written, whatever another session
/// has put in their place since.
@Timeout(20)
class WrittenFilesTest {
    @TempDir Path temporary;
    private final WrittenFiles written = new WrittenFiles();
    private Path folder;
    private Path file;

    @BeforeEach
    void given() throws IOException {
        var real = temporary.toRealPath();
        folder = Files.createDirectory(real.resolve("w"));
        file = Files.writeString(folder.resolve("out"), "mine");
        Files.writeString(
                Files.createDirectory(real.resolve("of-others")).resolve("out"), "theirs");
        written.note(new Action.WriteFile(FilePath.of(file.toString())));
    }

    private List<String> digests() {
        var all = new ArrayList<String>();
        written.look(
                Instant.EPOCH,
                new SessionId("test"),
                event -> {
                    if (event instanceof AuditEvent.FileWritten known) {
                        all.add(known.sha256());
                    }
                });
        return all;
    }

    @Test
    void a_file_that_was_written_has_a_digest() throws IOException {
        assertThat(digests()).containsExactly(Sha256.hex(Files.readAllBytes(file)));
        assertThat(digests()).as("once").isEmpty();
    }

    @Test
    void what_a_link_leads_to_was_not_written() throws IOException {
        Files.move(folder, folder.resolveSibling("aside"));
        Files.createSymbolicLink(folder, folder.resolveSibling("of-others"));
        assertThat(file).hasContent("theirs");
        assertThat(digests()).isEmpty();
    }

    @Test
    void nobody_waits_at_a_pipe() throws Exception {
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
        assertThat(digests()).isEmpty();
    }
}
