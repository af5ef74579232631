// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.backends.process.Confined.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Ways around a rule by giving things other names: denied names inside of an allowed folder.
class NamesIT {
    @TempDir Path temporary;
    private Confined confined;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
        Confined.file(confined.work.resolve("protected/secret"), "secret");
        Confined.file(confined.work.resolve("app/.env"), "secret");
        Confined.file(confined.work.resolve("app/public"), "public");
        Files.createDirectories(confined.work.resolve(".git/hooks"));
        confined.deny("read:./protected", "write:./protected", "read:**/.env");
        confined.deny("write:**/.git/hooks", "write:./conf/settings");
    }

    private void revealsNothing(String... commands) throws Exception {
        for (var command : commands) {
            assertThat(confined.sh(command).output()).as(command).doesNotContain("secret");
            assertThat(confined.work.resolve("protected/secret")).hasContent("secret");
        }
    }

    @Test
    void a_second_name_does_not_show_what_the_first_one_hides() throws Exception {
        revealsNothing(
                "cat protected/secret",
                "cat app/../protected//./secret",
                "ln protected/secret s; cat s",
                "ln app/.env e; cat e",
                "ln -s protected/secret l; cat l",
                "ln -s protected d; cat d/secret; ls d",
                "mv app/.env app/e; cat app/e",
                "mv protected p; cat p/secret",
                "mv app/.env protected; cat protected/.env",
                "cd protected && cat secret",
                "cat /proc/self/cwd/protected/secret",
                "cat /proc/self/root" + confined.work + "/protected/secret",
                "cd app; cat < .env",
                "cp -al app copy; cat copy/.env copy/*",
                "tar c . | tar x -C app; cat app/protected/secret app/.env",
                "python3 -c \"import os; os.chdir('app'); print(open('.env').read())\"");
    }

    @Test
    void without_a_sandbox_it_does() throws Exception {
        Result result =
                confined.runFreely(
                        "/bin/sh", "-c", "ln app/.env e; cat e; ln -s protected d; cat d/secret");

        assertThat(result.output()).isEqualTo("secretsecret");
    }

    @Test
    void odd_calls_do_not_rename_what_is_hidden() throws Exception {
        var probe =
                confined.compile(
                        "rename",
                        """
                        int main(void) {
                            char path[64], work[PATH_MAX];
                            getcwd(work, sizeof work);
                            int fd = open("app/.env", O_PATH);
                            sprintf(path, "/proc/self/fd/%d", fd);
                            say("link by handle", linkat(AT_FDCWD, path, AT_FDCWD, "a", AT_SYMLINK_FOLLOW));
                            say("link empty", linkat(fd, "", AT_FDCWD, "b", AT_EMPTY_PATH));
                            say("link", link("app/.env", "c"));
                            say("exchange", syscall(SYS_renameat2, -100, "app/.env", -100, "app/public", 2));
                            say("exchange back", syscall(SYS_renameat2, -100, "app/public", -100, "app/.env", 2));
                            say("whiteout", syscall(SYS_renameat2, -100, "app/.env", -100, "d", 4));
                            say("high bits", syscall(SYS_renameat2, 0xffffffffffffff9cL, "app/.env", 0xffffff9cL, "e", 1L << 32));
                            say("folder", rename("protected", "f"));
                            say("exchange folder", syscall(SYS_renameat2, -100, "protected", -100, "app", 2));
                            mkdir("x", 0755);
                            mkdir("x/hooks", 0755);
                            say("into a guarded name", rename("x", "app/.git"));
                            say("guarded away", rename(".git", "g"));
                            say("guarded by itself", rename(".git/hooks", "h"));
                            say("remove", rmdir(".git/hooks"));
                            int folder = open("protected", O_PATH);
                            tell("by folder", openat(folder, "secret", O_RDONLY));
                            fchdir(folder);
                            tell("from inside", open("secret", O_RDONLY));
                            tell("up and down", open("../protected/secret", O_RDONLY));
                            say("unlink", unlink("secret"));
                            tell("handle", open(path, O_RDONLY));
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        link by handle EXDEV
                        link empty ENOENT
                        link EXDEV
                        exchange EXDEV
                        exchange back EXDEV
                        whiteout EINVAL
                        high bits EXDEV
                        folder EACCES
                        exchange folder EACCES
                        into a guarded name EXDEV
                        guarded away EXDEV
                        guarded by itself EACCES
                        remove EACCES
                        by folder EACCES
                        from inside EACCES
                        up and down EACCES
                        unlink EACCES
                        handle EACCES
                        """);
        assertThat(confined.runFreely(probe).output())
                .contains("link ok", "into a guarded name ok", "handle read secret");
    }

    /// What reads `conf/settings` or runs `.git/hooks` outside must not find another folder there.
    @Test
    void a_link_does_not_stand_in_for_a_folder_with_guarded_names() throws Exception {
        var result =
                confined.sh(
                        """
                        mkdir -p evil/hooks sub
                        echo x > evil/settings
                        ln -s evil conf && echo linked
                        ln -s ../evil sub/.git && echo linked
                        ln -s evil l && mv -T l conf && echo moved
                        ln -s evil m && ln -P m conf && echo linked
                        ln -s evil ordinary && cat ordinary/settings
                        """);

        assertThat(result.output()).isEqualTo("x\n");
        assertThat(confined.work.resolve("conf")).doesNotExist();
        assertThat(confined.work.resolve("sub/.git")).doesNotExist();
    }

    @Test
    void files_that_come_later_are_guarded_by_their_names() throws Exception {
        var result =
                confined.sh(
                        """
                        echo new > t; mv t later.env; cat later.env
                        mkdir n; echo other > n/t; mv n/t n/.env; cat n/.env; mv n/.env n/t; cat n/t
                        """);

        assertThat(result.output()).isEqualTo("new\n");
    }

    @Test
    void names_that_look_removed_are_still_their_own() throws Exception {
        Confined.file(confined.work.resolve("app/x (deleted)"), "plain");
        Confined.file(confined.work.resolve("app/.env (deleted)"), "odd");

        assertThat(confined.sh("cat 'app/x (deleted)'").output()).isEqualTo("plain");
        assertThat(confined.sh("cat 'app/.env (deleted)'").output()).isEmpty();
    }

    @Test
    void a_removed_file_stays_hidden() throws Exception {
        var probe =
                confined.compile(
                        "removed",
                        """
                        int main(void) {
                            char path[64];
                            int fd = open("app/.env", O_PATH);
                            sprintf(path, "/proc/self/fd/%d", fd);
                            say("unlink", unlink("app/.env"));
                            tell("handle", open(path, O_RDONLY));
                            say("revive", linkat(AT_FDCWD, path, AT_FDCWD, "z", AT_SYMLINK_FOLLOW));
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo("unlink ok\nhandle EACCES\nrevive EXDEV\n");
    }

    @Test
    void the_kernel_alone_does_not_guard_the_names_of_sockets() throws Exception {
        var other = new Confined(confined.work).allow("exec:/usr/**");
        var plan = new ProcessBackend().plan(other.policy());
        assertThat(plan.writes().brokered()).isFalse();

        other.allow("unix:./public");

        assertThat(new ProcessBackend().plan(other.policy()).writes().brokered()).isTrue();
    }
}
