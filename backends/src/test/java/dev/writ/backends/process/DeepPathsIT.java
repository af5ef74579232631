// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Objects that lie so deep that the kernel cannot say where.
class DeepPathsIT {
    @TempDir Path temporary;
    private Confined confined;
    private Path probe;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
        Confined.file(confined.work.resolve("project/in/a/folder/.env"), "secret");
        // Moves the project to where its own path still has a length, and what lies in it no more.
        probe =
                confined.compile(
                        "deep",
                        """
                        int main(void) {
                            char name[201] = {0}, here[8192], handle[64];
                            memset(name, 'd', 200);
                            int work = open(".", O_PATH);
                            getcwd(here, sizeof here);
                            int rest = 4080 - strlen(here);
                            while (rest > 1) {
                                name[rest > 201 ? 200 : rest - 1] = 0;
                                mkdir(name, 0755);
                                chdir(name);
                                rest -= strlen(name) + 1;
                            }
                            say("move", renameat(work, "project", AT_FDCWD, "p"));
                            chdir("p/in/a/folder");
                            int fd = open(".env", O_PATH);
                            sprintf(handle, "/proc/self/fd/%d", fd);
                            tell("directly", open(".env", O_RDONLY));
                            tell("by handle", open(handle, O_RDONLY));
                            say("mode", fchmodat(AT_FDCWD, handle, 0600, 0));
                        }
                        """);
    }

    /// Too deep for those who tidy up after a test.
    @AfterEach
    void remove() throws Exception {
        confined.runFreely("/bin/rm", "-rf", confined.work);
    }

    @Test
    void a_forbidden_file_stays_forbidden_where_its_path_has_no_end() throws Exception {
        confined.deny("read:**/.env", "write:**/.env");

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        move ok
                        directly EACCES
                        by handle EACCES
                        mode EACCES
                        """);
    }

    @Test
    void without_a_sandbox_it_can_be_read() throws Exception {
        assertThat(confined.runFreely(probe).output())
                .contains("directly read secret", "by handle read secret", "mode ok");
    }
}
