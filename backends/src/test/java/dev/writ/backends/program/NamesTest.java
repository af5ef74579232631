// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NamesTest {
    @TempDir Path temporary;
    private Given given;

    @BeforeEach
    void given() throws IOException {
        given = new Given(temporary);
    }

    @Test
    void a_name_is_relative_to_the_folder_of_the_process() throws IOException {
        var file = given.file("a/b", "x");

        assertThat(given.names().find("a/b")).contains(given.at(file));
        assertThat(given.names().find("./a/../a//b")).contains(given.at(file));
        assertThat(given.names().find(file.toString())).contains(given.at(file));
    }

    @Test
    void links_are_resolved_one_after_the_other() throws IOException {
        var file = given.file("a/b", "x");
        Files.createSymbolicLink(given.folder.resolve("one"), Path.of("a"));
        Files.createSymbolicLink(given.folder.resolve("two"), given.folder.resolve("one"));
        Files.createSymbolicLink(given.folder.resolve("a/three"), Path.of("../two/b"));

        assertThat(given.names().find("two/three")).contains(given.at(file));
    }

    @Test
    void what_is_no_regular_file_is_not_found() throws IOException {
        given.file("a/b", "x");
        Files.createSymbolicLink(given.folder.resolve("loop"), Path.of("loop"));
        Files.createSymbolicLink(given.folder.resolve("nowhere"), Path.of("/nowhere/at/all"));

        assertThat(given.names().find("a")).isEmpty();
        assertThat(given.names().find("loop")).isEmpty();
        assertThat(given.names().find("nowhere")).isEmpty();
        assertThat(given.names().find("")).isEmpty();
        assertThat(given.names().find("/dev/null")).isEmpty();
        assertThat(given.names().find("x".repeat(5000))).isEmpty();
    }

    /// A link to `/proc/self` that we follow leads to our own files, not to those of the process.
    @Test
    void the_process_itself_is_never_the_one_who_looks() throws IOException {
        Files.createSymbolicLink(given.folder.resolve("me"), Path.of("/proc/self/exe"));

        assertThat(given.names().find("me")).isEmpty();
        assertThat(given.names().find("/proc/thread-self/exe")).isEmpty();
        assertThat(new Names(Path.of("/proc/self").toRealPath()).find("/proc/self/exe"))
                .isPresent();
    }
}
