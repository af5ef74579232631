// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopiesTest {
    @TempDir Path temporary;
    private Given given;
    private Path bin;
    private Path git;

    @BeforeEach
    void given() throws IOException {
        given = new Given(temporary);
        git = given.file("bin/git", "a program");
        bin = given.folder.resolve("bin");
    }

    private Policy policy(String... rules) {
        return given.policy(List.of(bin.toString()), rules);
    }

    private List<FilePath> originals(Policy policy, Path file) throws IOException {
        return Copies.of(policy).originals(given.at(file));
    }

    private static FilePath path(Path file) {
        return FilePath.of(file.toString());
    }

    @Test
    void a_copy_of_a_denied_program_is_known() throws IOException {
        var copy = given.file("g", "a program");

        assertThat(originals(policy("deny exec:git push"), copy)).containsExactly(path(git));
        assertThat(originals(policy("ask exec:git"), copy)).containsExactly(path(git));
        assertThat(originals(policy("deny exec:./bin/git"), copy)).containsExactly(path(git));
        assertThat(originals(policy("deny shell:ls,git"), copy)).containsExactly(path(git));
    }

    @Test
    void nothing_is_known_of_what_is_not_denied_by_name() throws IOException {
        var copy = given.file("g", "a program");

        assertThat(originals(policy("allow exec:git"), copy)).isEmpty();
        assertThat(originals(policy("deny exec:./bin/*"), copy)).isEmpty();
        assertThat(originals(policy("deny shell:*"), copy)).isEmpty();
        assertThat(originals(policy("deny read:./bin/git"), copy)).isEmpty();
        assertThat(originals(policy("deny exec:./bin/gone"), copy)).isEmpty();
    }

    @Test
    void another_file_is_no_copy() throws IOException {
        assertThat(originals(policy("deny exec:git"), given.file("a", "a progrAm"))).isEmpty();
        assertThat(originals(policy("deny exec:git"), given.file("b", "a program "))).isEmpty();
        assertThat(originals(policy("deny exec:git"), given.file("c", ""))).isEmpty();
    }

    @Test
    void a_program_is_no_copy_of_itself() throws IOException {
        assertThat(originals(policy("deny exec:git"), git)).isEmpty();
    }

    @Test
    void a_file_is_denied_under_all_its_names() throws IOException {
        var vim = given.file("bin/vim", "an editor");
        var vi = Files.createSymbolicLink(bin.resolve("vi"), vim);
        var ex = Files.createLink(bin.resolve("ex"), vim);

        assertThat(originals(policy("deny exec:vi"), vim)).containsExactly(path(vi));
        assertThat(originals(policy("deny exec:vi"), ex)).containsExactly(path(vi));
        assertThat(originals(policy("deny exec:vi", "deny exec:vim"), ex))
                .containsExactly(path(vi), path(vim));
    }

    @Test
    void installed_scripts_that_are_alike_are_not_each_other() throws IOException {
        given.file("bin/pip", "#!/bin/sh\nexec manager \"$0\"");
        var python = given.file("bin/python", "#!/bin/sh\nexec manager \"$0\"");
        var elsewhere = given.file("python", "#!/bin/sh\nexec manager \"$0\"");

        assertThat(originals(policy("deny exec:pip"), python)).isEmpty();
        assertThat(originals(policy("deny exec:pip"), elsewhere))
                .containsExactly(path(bin.resolve("pip")));
        assertThat(originals(policy("deny exec:pip", "allow write:."), python))
                .containsExactly(path(bin.resolve("pip")));
    }

    @Test
    void installed_programs_that_are_alike_are_each_other() throws IOException {
        var other = given.file("bin/other", "a program");

        assertThat(originals(policy("deny exec:git"), other)).containsExactly(path(git));
    }

    @Test
    void what_nobody_in_the_sandbox_can_change_is_read_once() throws IOException {
        var digests = new Digests();
        byte[] digest = digests.ofLasting(FileId.of(git), git);

        assertThat(digests.ofLasting(FileId.of(git), given.file("other", "text")))
                .as("without a look at the file")
                .isEqualTo(digest);
        Files.writeString(git, "a progrAm");
        assertThat(digests.ofLasting(FileId.of(git), git))
                .as("unless it was changed")
                .isNotEqualTo(digest);
    }

    @Test
    void a_program_that_changes_is_looked_at_again() throws IOException {
        var other = given.file("bin/other", "a program");
        for (var policy :
                List.of(policy("deny exec:git"), policy("deny exec:git", "allow write:."))) {
            var copies = Copies.of(policy);

            for (var text : List.of("a program", "a progrAm", "a program")) {
                Files.writeString(other, text);
                assertThat(copies.originals(given.at(other)).isEmpty())
                        .isEqualTo(text.equals("a progrAm"));
            }
        }
    }

    @Test
    void what_is_too_long_to_read_is_a_copy_if_it_is_as_long() throws IOException {
        long length = Digests.MOST_READ + 1;
        var big = sparse("bin/big", length);

        assertThat(originals(policy("deny exec:big"), sparse("as-long", length)))
                .containsExactly(path(big));
        assertThat(originals(policy("deny exec:big"), sparse("longer", length + 1))).isEmpty();
    }

    @Test
    void a_copy_is_judged_as_what_it_is_a_copy_of() throws IOException {
        var copy = given.file("g", "a program");
        var policy = policy("allow shell:*", "deny exec:git push");
        var programs = Programs.of(policy);

        var starts = programs.starts(given.image(copy, "g", "push"));
        assertThat(starts)
                .isEqualTo(
                        new Starts.Known(
                                List.of(
                                        given.allowed(copy, "push"),
                                        given.notDenied(git, "push"),
                                        given.notDenied(git, "g", "push"))));
        assertThat(((Starts.Known) starts).questions(policy))
                .containsExactly(
                        Given.start(copy, "push"),
                        Given.start(git, "push"),
                        Given.start(git, "g", "push"));

        var harmless = programs.starts(given.image(copy, "g", "status"));
        assertThat(((Starts.Known) harmless).questions(policy))
                .containsExactly(Given.start(copy, "status"));
    }

    @Test
    void a_copied_script_is_judged_too_when_an_interpreter_runs_it() throws IOException {
        var deploy = given.file("deploy", "echo deploy");
        given.file("d", "echo deploy");
        var sh = given.program("sh");

        assertThat(Programs.of(policy("deny exec:./deploy")).starts(given.image(sh, "sh", "d")))
                .isEqualTo(
                        new Starts.Known(
                                List.of(
                                        given.allowed(sh, "d"),
                                        given.notDenied(given.folder.resolve("d")),
                                        given.notDenied(deploy))));
    }

    private Path sparse(String name, long length) throws IOException {
        var path = given.folder.resolve(name);
        try (var file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(length);
        }
        return path;
    }
}
