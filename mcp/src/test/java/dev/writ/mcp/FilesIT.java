// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.mcp.transport.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files that an agent names, as it likes.
class FilesIT {
    private static final String POLICY =
            """
            version: 1
            extends: [workspace]
            deny: [read:./closed, write:./fixed]
            ask: [read:./asked]
            """;

    @TempDir private Path folder;
    private Path project = Path.of("/");
    private Path secret = Path.of("/");

    @BeforeEach
    void make() throws IOException {
        secret = Files.writeString(folder.toRealPath().resolve("secret"), "not for you");
    }

    private RawClient client(String capabilities) throws IOException {
        var workshop = Workshop.in(folder, POLICY);
        project = workshop.project();
        return new RawClient(workshop.settings()).hello(capabilities);
    }

    @Test
    void a_file_is_written_read_edited_listed_and_found() throws IOException {
        try (var client = client("{}")) {
            var wrote =
                    client.reply(
                            "write_file", Map.of("path", "src/a/x.txt", "content", "one\ntwo\n"));
            var edited =
                    client.reply(
                            "edit_file",
                            Map.of("path", "src/a/x.txt", "old", "two", "new", "zwei"));
            var read = client.reply("read_file", Map.of("path", "src/a/x.txt"));
            var part =
                    client.reply(
                            "read_file", Map.of("path", "src/a/x.txt", "offset", 2, "limit", 1));
            var listed = client.reply("list_files", Map.of());
            var globbed = client.reply("list_files", Map.of("glob", "**/*.txt"));
            var found = client.reply("search_files", Map.of("pattern", "zw.i"));

            assertThat(wrote.isError()).isFalse();
            assertThat(edited.field("replaced")).isEqualTo(1);
            assertThat(read.field("content")).isEqualTo("one\nzwei\n");
            assertThat(part.field("content")).isEqualTo("zwei\n");
            assertThat(Files.readString(project.resolve("src/a/x.txt"))).isEqualTo("one\nzwei\n");
            assertThat(listed.field("names")).isEqualTo(List.of("src/", "writ.yaml"));
            assertThat(globbed.field("names")).isEqualTo(List.of("src/a/x.txt"));
            assertThat(found.text()).isEqualTo("src/a/x.txt:2:zwei\n");
        }
    }

    @Test
    void whatever_way_leads_to_it_what_is_not_granted_is_denied() throws IOException {
        try (var client = client("{}")) {
            var link = Files.createSymbolicLink(project.resolve("link"), secret);
            Files.createSymbolicLink(project.resolve("up"), folder.toRealPath());
            Files.createSymbolicLink(project.resolve("new"), folder.toRealPath().resolve("made"));
            Files.createDirectory(project.resolve("closed"));
            Files.writeString(project.resolve("closed/x"), "not for you");

            assertThat(Files.readString(link)).isEqualTo("not for you"); // it leads there
            for (var path :
                    List.of("link", "up/secret", "../secret", secret.toString(), "closed/x")) {
                var read = client.reply("read_file", Map.of("path", path));

                assertThat(read.isError()).as(path).isTrue();
                assertThat(read.text())
                        .startsWith("writ: denied: `read:")
                        .contains("to change that")
                        .doesNotContain("not for you");
            }
            for (var path : List.of("link", "up/made", "../made", "new", "fixed", "writ.yaml")) {
                var write = client.reply("write_file", Map.of("path", path, "content", "x"));

                assertThat(write.isError()).as(path).isTrue();
                assertThat(write.text()).startsWith("writ: denied: `write:");
            }
            var found = client.reply("search_files", Map.of("pattern", "not for"));

            assertThat(found.text()).doesNotContain("not for you").contains("left out");
            assertThat(secret).hasContent("not for you");
            assertThat(folder.resolve("made")).doesNotExist();
        }
    }

    @Test
    void arguments_that_mean_nothing_are_refused() throws IOException {
        try (var client = client("{}")) {
            Files.write(project.resolve("bytes"), new byte[] {0, (byte) 0xff});
            for (var wrong :
                    List.<Map<String, Object>>of(
                            Map.of(),
                            Map.of("path", ""),
                            Map.of("path", 1),
                            Map.of("path", "a\0b"),
                            Map.of("path", "a/".repeat(4000)),
                            Map.of("path", "nowhere"),
                            Map.of("path", "."),
                            Map.of("path", "/dev/zero"),
                            Map.of("path", "bytes"),
                            Map.of("path", "writ.yaml", "offset", 0),
                            Map.of("path", "writ.yaml", "root", true))) {
                var reply = client.reply("read_file", wrong);

                assertThat(reply.isError()).as(wrong.toString().substring(0, 2)).isTrue();
                assertThat(reply.text()).startsWith("writ: ");
            }
            for (var pattern : List.of("", "(", "(a{1000}){1000}", "x".repeat(5000))) {
                assertThat(client.reply("search_files", Map.of("pattern", pattern)).isError())
                        .isTrue();
            }
            assertThat(client.reply("write_file", Map.of("path", "a")).isError()).isTrue();
        }
    }

    @Test
    void a_file_that_the_policy_asks_about_is_asked_about() throws IOException {
        try (var client = client("{\"elicitation\":{}}")) {
            Files.writeString(project.resolve("asked"), "by your leave");
            client.call(1, "read_file", Map.of("path", "asked"));
            var question = client.next();
            client.send(
                    Json.MAPPER.writeValueAsString(
                            Map.of(
                                    "jsonrpc",
                                    "2.0",
                                    "id",
                                    String.valueOf(question.get("id")),
                                    "result",
                                    Map.of(
                                            "action",
                                            "accept",
                                            "content",
                                            Map.of("answer", "once")))));

            assertThat(question.toString()).contains("what | read:" + project.resolve("asked"));
            assertThat(client.reply().field("content")).isEqualTo("by your leave");
        }
    }

    @Test
    void of_a_long_file_a_part_is_given_and_the_way_to_the_rest() throws IOException {
        try (var client = client("{}")) {
            Files.write(project.resolve("long"), Collections.nCopies(5000, "x".repeat(100)));
            var first = client.reply("read_file", Map.of("path", "long"));
            var last = client.reply("read_file", Map.of("path", "long", "offset", 4999));

            assertThat(first.field("cut")).isEqualTo(true);
            assertThat(first.text()).contains("go on with offset 2001");
            assertThat(last.field("cut")).isEqualTo(false);
            assertThat(String.valueOf(last.field("content")).lines()).hasSize(2);
        }
    }
}
