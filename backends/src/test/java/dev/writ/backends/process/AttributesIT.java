// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Mode, owner, times, attributes and flags: what the kernel's own wall leaves open on everything
/// that can be seen.
class AttributesIT {
    private static final String CHANGES =
            """
            #include <linux/fs.h>
            static int flags;
            int main(int count, char **words) {
                const char *path = words[1];
                char handle[64], descriptor[64];
                int fd = open(path, O_RDONLY), id = open(path, O_PATH);
                sprintf(descriptor, "/proc/self/fd/%d", fd);
                sprintf(handle, "/proc/self/fd/%d", id);
                struct timespec times[2] = {{1, 0}, {1, 0}};
                struct timeval old[2] = {{1, 0}, {1, 0}};
                say("open", fd);
                say("chmod", chmod(path, 0600));
                say("fchmod", fchmod(fd, 0600));
                say("fchmodat", fchmodat(AT_FDCWD, handle, 0600, 0));
                say("fchmodat2", syscall(452, id, "", 0600, AT_EMPTY_PATH));
                say("descriptor", chmod(descriptor, 0600));
                say("chown", chown(path, -1, getgid()));
                say("lchown", lchown(path, -1, getgid()));
                say("fchown", fchown(fd, -1, getgid()));
                say("fchownat", fchownat(id, "", -1, getgid(), AT_EMPTY_PATH));
                say("utime", utime(path, &(struct utimbuf) {1, 1}));
                say("utimes", syscall(SYS_utimes, path, old));
                say("utimensat", utimensat(AT_FDCWD, path, times, 0));
                say("futimens", futimens(fd, times));
                say("futimesat", syscall(SYS_futimesat, fd, 0, old));
                say("setxattr", setxattr(path, "user.a", "b", 1, 0));
                say("fsetxattr", fsetxattr(fd, "user.a", "b", 1, 0));
                say("removexattr", removexattr(path, "user.a"));
                ioctl(fd, FS_IOC_GETFLAGS, &flags);
                flags |= FS_NODUMP_FL;
                say("flags", ioctl(fd, FS_IOC_SETFLAGS, &flags));
                say("version", ioctl(fd, 0x40086604, &(long) {7})); // EXT4_IOC_SETVERSION
                say("truncate", truncate(path, 0));
                say("ftruncate", ftruncate(fd, 0));
                say("trunc", open(path, O_RDONLY | O_TRUNC));
            }
            """;

    @TempDir Path temporary;
    private Confined confined;
    private Path readable;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
        readable = Confined.file(confined.tools.resolve("readable"), "text");
        Files.setLastModifiedTime(readable, FileTime.fromMillis(5_000_000));
    }

    private void isUnchanged(Path file) throws Exception {
        assertThat(Files.getLastModifiedTime(file).toMillis()).isEqualTo(5_000_000);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r--r--");
        assertThat(file).hasContent("text");
    }

    @Test
    void nothing_about_a_file_changes_that_may_only_be_read() throws Exception {
        var changes = confined.compile("changes", CHANGES);
        Files.setPosixFilePermissions(readable, PosixFilePermissions.fromString("rw-r--r--"));

        var lines = confined.run(changes, readable).output().lines().toList();

        assertThat(lines.getFirst()).isEqualTo("open ok");
        assertThat(lines.subList(1, lines.size()))
                .hasSize(22)
                .allMatch(line -> line.endsWith(" EACCES") || line.equals("ftruncate EINVAL"));
        isUnchanged(readable);
    }

    @Test
    void nor_where_the_kernel_enforces_the_rest() throws Exception {
        var other = Confined.byKernel(Files.createDirectory(temporary.resolve("kernel")));
        var changes = other.compile("changes", CHANGES);
        var file = Confined.file(other.tools.resolve("readable"), "text");
        Files.setLastModifiedTime(file, FileTime.fromMillis(5_000_000));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(other.run(changes, file).output())
                .contains("open ok", "fchmod EACCES", "chown EACCES", "futimens EACCES")
                .doesNotContainPattern("(chmod|chown|utime|attr|flags|trunc).* ok");
        isUnchanged(file);
    }

    @Test
    void all_of_it_can_be_changed_where_a_file_may_be_written() throws Exception {
        var changes = confined.compile("changes", CHANGES);
        var mine = Confined.file(confined.work.resolve("mine"), "text");

        assertThat(confined.run(changes, mine).output())
                .isEqualTo(confined.runFreely(changes, mine).output())
                .contains("chmod ok", "fchown ok", "futimens ok", "trunc ok");
    }

    /// Where upper and lower case are one, `.GIT/hooks` is `.git/hooks`, and no guard knows it.
    @Test
    void no_folder_is_made_one_in_which_letters_are_one() throws Exception {
        var fold =
                confined.compile(
                        "fold",
                        """
                        int main(int count, char **words) {
                            int folder = open(words[1], O_RDONLY | O_DIRECTORY), flags = 0;
                            say("get", ioctl(folder, FS_IOC_GETFLAGS, &flags));
                            say("same", ioctl(folder, FS_IOC_SETFLAGS, &flags));
                            flags |= FS_CASEFOLD_FL;
                            say("fold", ioctl(folder, FS_IOC_SETFLAGS, &flags));
                        }
                        """);
        var folder = Files.createDirectory(confined.work.resolve("folder"));

        var freely = confined.runFreely(fold, folder).output();
        assertThat(freely).as("the kernel has its own say").doesNotContain("fold EPERM");
        assertThat(confined.run(fold, folder).output())
                .isEqualTo(freely.replaceFirst("fold .*", "fold EPERM"));
    }

    /// One thread exchanges the descriptor while the supervisor looks at it.
    @Test
    void a_descriptor_that_is_exchanged_meanwhile_does_not_pass_for_another() throws Exception {
        var probe =
                confined.compile(
                        "exchange",
                        """
                        static int good, bad, slot = 50;
                        static volatile int end;
                        static void *flip(void *_) {
                            while (!end) { dup2(good, slot); dup2(bad, slot); }
                            return 0;
                        }
                        int main(int count, char **words) {
                            int before, now, want;
                            pthread_t t;
                            good = open(words[1], O_RDONLY);
                            bad = open(words[2], O_RDONLY);
                            if (ioctl(bad, FS_IOC_GETFLAGS, &before)) { puts("no flags here"); return 0; }
                            want = before ^ FS_NODUMP_FL;
                            dup2(good, slot);
                            pthread_create(&t, 0, flip, 0);
                            for (int i = 0; i < 3000; i++) {
                                ioctl(slot, FS_IOC_SETFLAGS, &want);
                                ioctl(bad, FS_IOC_GETFLAGS, &now);
                                if (now != before) { puts("changed"); return 1; }
                            }
                            end = 1;
                        }
                        """);
        var mine = Confined.file(confined.work.resolve("mine"), "");

        assertThat(confined.run(probe, mine, readable).output()).doesNotContain("changed");
    }

    @Test
    void no_program_that_runs_as_its_owner_is_left_behind() throws Exception {
        var probe =
                confined.compile(
                        "setuid",
                        """
                        int main(void) {
                            say("chmod", chmod("a", 04755));
                            say("fchmod", fchmod(open("a", O_RDONLY), 02755));
                            umask(0);
                            close(open("b", O_CREAT | O_WRONLY, 06755));
                            close(creat("c", 04755));
                            mknod("d", S_IFREG | 04755, 0);
                            mkdir("e", 04755);
                            char path[64];
                            sprintf(path, "/proc/self/fd/%d", open(".", O_TMPFILE | O_RDWR, 04755));
                            linkat(AT_FDCWD, path, AT_FDCWD, "f", AT_SYMLINK_FOLLOW);
                            struct { uint64_t flags, mode, resolve; } how = {O_CREAT | O_WRONLY, 04755, 0};
                            syscall(SYS_openat2, AT_FDCWD, "g", &how, sizeof how);
                            const char *all = "abcdefg";
                            for (int i = 0; all[i]; i++) {
                                struct stat s = {0};
                                char name[2] = {all[i]};
                                if (stat(name, &s) == 0 && s.st_mode & 06000) say(name, 0);
                            }
                        }
                        """);
        Confined.file(confined.work.resolve("a"), "");

        assertThat(confined.run(probe).output()).isEqualTo("chmod EPERM\nfchmod EPERM\n");
        assertThat(confined.runFreely(probe).output()).contains("chmod ok", "a ok");
    }

    @Test
    void devices_that_may_be_used_cannot_be_changed() throws Exception {
        assertThat(confined.sh("echo x > /dev/null && chmod 600 /dev/null").errors())
                .contains("Operation not permitted");
        assertThat(confined.allow("write:/dev").sh("touch /dev/null").code()).isNotZero();
    }

    private static final String LOOKS =
            """
            int main(int count, char **words) {
                const char *path = words[1];
                char value[100] = "", names[1000], handle[64];
                int id = open(path, O_PATH);
                sprintf(handle, "/proc/self/fd/%d", id);
                say("getxattr", getxattr(path, "user.origin", value, 100));
                say("lgetxattr", lgetxattr(path, "user.origin", value, 100));
                say("handle", getxattr(handle, "user.origin", value, 100));
                say("length", getxattr(path, "user.origin", 0, 0));
                struct { long value; int size, flags; } to = {(long) value, 100, 0};
                syscall(464, AT_FDCWD, path, 0, "user.origin", &to, 16); // getxattrat
                printf("value %s\\n", value);
                long length = listxattr(path, names, 1000);
                printf("names %s\\n", length > 0 ? names : "-");
                printf("room %s\\n", listxattr(path, names, 0) == length ? "agrees" : "differs");
                length = llistxattr(path, names, 1000);
                printf("names %s\\n", length > 0 ? names : "-");
                length = syscall(465, AT_FDCWD, path, 0, names, 1000); // listxattrat
                printf("names %s\\n", length > 0 ? names : "-");
                say("missing", getxattr(path, "user.none", value, 100));
                say("short", getxattr(path, "user.origin", value, 1));
                say("acl", getxattr(path, "system.posix_acl_access", value, 100));
            }
            """;

    private static void mark(Path file) throws Exception {
        Files.getFileAttributeView(file, UserDefinedFileAttributeView.class)
                .write("origin", ByteBuffer.wrap("secret".getBytes(UTF_8)));
    }

    @Test
    void what_is_in_the_attributes_of_a_file_takes_the_right_to_read_it() throws Exception {
        var looks = confined.compile("looks", LOOKS);
        var hidden = Confined.file(temporary.resolve("hidden"), "text");
        mark(hidden);
        assertThat(confined.runFreely(looks, hidden).output())
                .contains("getxattr ok", "value secret", "names user.origin");

        assertThat(confined.run(looks, hidden).output())
                .contains("getxattr EACCES", "lgetxattr EACCES", "handle EACCES", "length EACCES")
                .contains("missing EACCES", "room agrees", "acl ENODATA")
                .doesNotContain("secret", "origin");
    }

    @Test
    void nor_are_they_seen_where_the_kernel_enforces_the_rest() throws Exception {
        var other = Confined.byKernel(Files.createDirectory(temporary.resolve("kernel")));
        var looks = other.compile("looks", LOOKS);
        var hidden = Confined.file(temporary.resolve("hidden"), "text");
        mark(hidden);

        assertThat(other.run(looks, hidden).output())
                .contains("getxattr EACCES", "handle EACCES")
                .doesNotContain("secret", "origin");
    }

    @Test
    void attributes_of_what_may_be_read_are_as_they_are() throws Exception {
        var looks = confined.compile("looks", LOOKS);
        mark(readable);

        assertThat(confined.run(looks, readable).output())
                .contains("getxattr ok", "value secret", "names user.origin", "room agrees")
                .contains("missing ENODATA", "short ERANGE", "acl ENODATA");
    }
}
