// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands that leave links where the operator lets Writ write.
class GivenFileTest {
    @TempDir Path temporary;
    private Path work;
    private Path victim;
    private Policy policy;

    @BeforeEach
    void prepare() throws IOException {
        var real = temporary.toRealPath();
        work = Files.createDirectory(real.resolve("work"));
        victim = Files.writeString(real.resolve("victim"), "precious");
        var scope =
                new Scope(FilePath.of(work.toString()), FilePath.of(real.toString()), List.of());
        policy =
                new PolicyLoader(scope, List.of())
                        .text("version: 1\nallow: [write:.]\n", "test")
                        .load();
    }

    private void isRefused(Path file, String why) throws IOException {
        assertThatThrownBy(() -> GivenFile.open(file, policy))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(why);
        assertThat(victim).hasContent("precious");
    }

    @Test
    void a_plain_file_is_written() throws IOException {
        var file = Files.writeString(work.resolve("out"), "much longer than before");
        GivenFile.open(file, policy).write("new".getBytes(UTF_8));
        assertThat(file).hasContent("new");
        GivenFile.open(work.resolve("fresh"), policy).write("new".getBytes(UTF_8));
        assertThat(work.resolve("fresh")).hasContent("new");
    }

    @Test
    void what_the_command_could_write_it_cannot_write() {
        var file = work.resolve("out");
        var kept = GivenFile.open(file, policy).keptBy(policy, "--json");
        for (var path : List.of(file, work.resolve("other"))) {
            var write = new Action.WriteFile(FilePath.of(path.toString()));
            assertThat(policy.decide(write)).isInstanceOf(Decision.Allow.class);
            assertThat(kept.decide(write) instanceof Decision.Allow).isEqualTo(!path.equals(file));
        }
        assertThat(GivenFile.open(victim, policy).keptBy(policy, "--json")).isSameAs(policy);
    }

    @Test
    void what_is_in_it_stays_until_something_is_written() throws IOException {
        var file = Files.writeString(work.resolve("out"), "of an earlier run");
        GivenFile.open(file, policy);
        assertThat(file).hasContent("of an earlier run");
    }

    @Test
    void a_device_that_may_be_written_is_one_to_write_to() throws IOException {
        var scope =
                new Scope(FilePath.of(work.toString()), FilePath.of(work.toString()), List.of());
        var wide =
                new PolicyLoader(scope, List.of())
                        .text("version: 1\nallow: [write:/**]\n", "test")
                        .load();
        GivenFile.open(Path.of("/dev/null"), wide).write("nowhere".getBytes(UTF_8));
    }

    @Test
    void a_link_that_a_command_left_is_not_followed() throws IOException {
        Files.createSymbolicLink(work.resolve("out"), victim);
        isRefused(work.resolve("out"), "a link that a command could have made");
        Files.createSymbolicLink(work.resolve("folder"), victim.getParent());
        isRefused(work.resolve("folder/victim"), "a link that a command could have made");
        Files.createSymbolicLink(work.resolve("dangling"), victim.resolveSibling("new"));
        isRefused(work.resolve("dangling"), "a link that a command could have made");
        assertThat(victim.resolveSibling("new")).doesNotExist();
    }

    @Test
    void a_link_of_the_operator_is() throws IOException {
        var link = Files.createSymbolicLink(victim.resolveSibling("link"), victim);
        GivenFile.open(link, policy).write("new".getBytes(UTF_8));
        assertThat(victim).hasContent("new");
        GivenFile.open(Path.of("/dev/null"), policy).write("new".getBytes(UTF_8));
    }

    @Test
    void what_a_command_puts_there_meanwhile_is_not_written_through() throws IOException {
        var file = GivenFile.open(work.resolve("out"), policy);
        Files.delete(work.resolve("out"));
        Files.createSymbolicLink(work.resolve("out"), victim);
        assertThatThrownBy(() -> file.write("new".getBytes(UTF_8)))
                .hasMessageContaining("something else has taken its place");
        assertThat(victim).hasContent("precious");
    }

    /// What another command does while this one is about to start. The links are looked for before
    /// the file is opened: whoever is quick gets between.
    @Test
    void nor_is_a_folder_that_becomes_a_link_meanwhile() throws Exception {
        var flipped = Files.createDirectory(work.resolve("flipped"));
        var aside = work.resolve("aside");
        var link = Files.createSymbolicLink(work.resolve("link"), victim.getParent());
        var done = new AtomicBoolean();
        var flips = new AtomicInteger();
        var command =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!done.get()) {
                                        move(flipped, aside);
                                        move(link, flipped);
                                        move(flipped, link);
                                        move(aside, flipped);
                                        flips.incrementAndGet();
                                    }
                                });
        int opened = 0;
        try {
            for (int i = 0; i < 20_000 || flips.get() < 1000; i++) {
                try {
                    GivenFile.open(flipped.resolve("victim"), policy).write("new".getBytes(UTF_8));
                    opened++;
                } catch (UsageException | IOException e) {
                    // it was a link just then, or nothing
                }
            }
        } finally {
            done.set(true);
            command.join();
        }
        assertThat(victim).hasContent("precious");
        assertThat(opened).as("while it was a folder").isPositive();
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void nobody_waits_at_a_pipe() throws Exception {
        var pipe = work.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        isRefused(pipe, "it is no file");
    }
}
