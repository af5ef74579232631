// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Ways to open what the rules do not grant.
class FilesIT {
    private static final String ATTEMPTS =
            """
            #include <linux/openat2.h>
            int main(int count, char **words) {
                const char *secret = words[1], *folder = words[2];
                char path[PATH_MAX + 16], handle[64];
                struct open_how how = {.flags = O_RDONLY};
                tell("open", syscall(SYS_open, secret, O_RDONLY));
                tell("openat", openat(AT_FDCWD, secret, O_RDONLY));
                tell("openat2", syscall(SYS_openat2, AT_FDCWD, secret, &how, sizeof how));
                how.resolve = RESOLVE_CACHED;
                tell("cached", syscall(SYS_openat2, AT_FDCWD, secret, &how, sizeof how));
                tell("rdwr", open(secret, O_RDWR));
                say("neither", open(secret, O_ACCMODE));
                tell("creat", open(secret, O_RDONLY | O_CREAT, 0644));
                tell("high bits", syscall(SYS_openat, 0x1ffffff9cL, secret, 0x100000000L));
                say("write", open(secret, O_WRONLY | O_APPEND));
                say("trunc", open(secret, O_RDONLY | O_TRUNC));
                say("new", creat(strcat(strcpy(path, folder), "/new"), 0644));
                say("unnamed", open(folder, O_TMPFILE | O_RDWR, 0600));
                say("list", open(folder, O_RDONLY | O_DIRECTORY));
                int fd = open(secret, O_PATH | O_RDWR | O_CREAT | O_TRUNC);
                tell("path", fd);
                sprintf(handle, "/proc/self/fd/%d", fd);
                tell("handle", open(handle, O_RDONLY));
                sprintf(handle, "/dev/fd/%d", fd);
                tell("dev fd", open(handle, O_RDONLY));
                sprintf(handle, "/proc/thread-self/fd/%d", fd);
                tell("thread", open(handle, O_RDONLY));
                sprintf(handle, "/proc/self/task/%d/fd/%d", gettid(), fd);
                tell("task", open(handle, O_RDONLY));
                int there = open(folder, O_PATH);
                tell("beneath", openat(there, "secret", O_RDONLY));
                say("map", (long) mmap(0, 1, PROT_READ, MAP_PRIVATE, fd, 0) == -1 ? -1 : 0);
                say("watch", inotify_add_watch(inotify_init(), folder, IN_ALL_EVENTS));
                struct sockaddr_un name = {AF_UNIX};
                snprintf(name.sun_path, sizeof name.sun_path, "/proc/self/fd/%d/s", there);
                say("bind", bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *) &name, sizeof name));
                say("mkdir", mkdir(strcat(strcpy(path, folder), "/d"), 0755));
                say("mknod", mknod(strcat(strcpy(path, folder), "/n"), S_IFIFO | 0644, 0));
                say("symlink", symlink("x", strcat(strcpy(path, folder), "/l")));
                say("unlink", unlink(secret));
                say("rename", rename(secret, "mine"));
                say("link", link(secret, "mine"));
                say("truncate", truncate(secret, 0));
                say("handle at", syscall(SYS_name_to_handle_at, AT_FDCWD, secret, handle, handle, 0));
                say("chroot", chroot(folder));
                say("exec", execl(secret, secret, NULL));
            }
            """;

    @TempDir Path temporary;

    private void isOutOfReach(Confined confined) throws Exception {
        var secret = Confined.file(confined.outside.resolve("secret"), "secret");
        var attempts = confined.compile("attempts", ATTEMPTS);

        var lines = confined.run(attempts, secret, confined.outside).output().lines().toList();

        assertThat(lines)
                .hasSize(32)
                .noneMatch(line -> line.contains("secret"))
                .noneMatch(line -> line.endsWith(" ok"));
        assertThat(secret).hasContent("secret");
        try (var files = Files.list(confined.outside)) {
            assertThat(files.toList()).isEqualTo(List.of(secret));
        }
        assertThat(confined.runFreely(attempts, secret, confined.outside).output())
                .contains("open read secret", "neither ok", "trunc ok", "list ok", "mkdir ok");
    }

    @Test
    void a_file_outside_cannot_be_opened_where_every_call_is_judged() throws Exception {
        isOutOfReach(Confined.judged(temporary));
    }

    @Test
    void nor_where_the_kernel_enforces_the_rules() throws Exception {
        isOutOfReach(Confined.byKernel(temporary));
    }

    @Test
    void nor_where_only_writes_are_judged() throws Exception {
        var confined = Confined.byKernel(temporary).deny("write:./x");

        assertThat(new ProcessBackend().plan(confined.policy()).writes().brokered()).isTrue();
        isOutOfReach(confined);
    }

    @Test
    void a_path_that_changes_while_it_is_judged_opens_nothing_else() throws Exception {
        var confined = Confined.judged(temporary);
        var secret = Confined.file(confined.outside.resolve("secret"), "secret");
        var mine = Confined.file(confined.work.resolve("secret"), "public");
        var probe =
                confined.compile(
                        "flip",
                        """
                        static char path[PATH_MAX];
                        static char **texts;
                        static volatile int end;
                        static void *flip(void *_) {
                            for (int i = 0; !end; i++) memcpy(path, texts[i & 1], strlen(texts[i & 1]) + 1);
                            return 0;
                        }
                        static void *links(void *_) {
                            for (int i = 0; !end; i++) { symlink(texts[i & 1], "t"); rename("t", "link"); }
                            return 0;
                        }
                        int main(int count, char **words) {
                            pthread_t t;
                            char text[8];
                            int seen = 0;
                            texts = words + 1;
                            strcpy(path, texts[0]);
                            pthread_create(&t, 0, flip, 0);
                            pthread_create(&t, 0, links, 0);
                            for (int i = 0, until = time(0) + 2; time(0) < until && !seen; i++) {
                                int fd = open(i & 1 ? path : "link", O_RDONLY);
                                if (fd >= 0 && read(fd, text, 6) == 6 && !memcmp(text, "secret", 6)) seen++;
                                close(fd);
                            }
                            end = 1;
                            puts(seen ? "seen" : "never");
                        }
                        """);

        assertThat(confined.run(probe, mine, secret).output()).isEqualTo("never\n");
        assertThat(confined.runFreely(probe, mine, secret).output()).isEqualTo("seen\n");
    }

    @Test
    void odd_arguments_fail_as_the_kernel_lets_them_fail() throws Exception {
        var confined = Confined.judged(temporary);
        Confined.file(confined.work.resolve("file"), "text");
        var probe =
                confined.compile(
                        "odd",
                        """
                        int main(void) {
                            char longest[PATH_MAX + 8];
                            memset(longest, '/', sizeof longest);
                            strcpy(longest + PATH_MAX - 4, "usr");
                            say("empty", open("", O_RDONLY));
                            say("null", open(0, O_RDONLY));
                            say("nowhere", open((char *) 8, O_RDONLY));
                            say("slashes", open(longest, O_RDONLY));
                            say("slash", open("file/", O_RDONLY));
                            say("new slash", open("new/", O_RDWR | O_CREAT, 0644));
                            say("dot", open("file/.", O_RDONLY));
                            say("bad folder", openat(77, "file", O_RDONLY));
                            say("negative", openat(-5, "file", O_RDONLY));
                            say("no folder", openat(open("file", O_RDONLY), "x", O_RDONLY));
                            say("folder", open(".", O_RDWR));
                            say("not a folder", open("file", O_DIRECTORY));
                            say("exists", open("file", O_CREAT | O_EXCL | O_RDWR, 0644));
                            symlink("missing", "dangling");
                            say("no link", open("dangling", O_RDONLY | O_NOFOLLOW));
                            say("dangling", open("dangling", O_RDONLY));
                            say("exclusive", open("dangling", O_CREAT | O_EXCL | O_RDWR, 0644));
                            say("through", open("dangling", O_CREAT | O_RDWR, 0644));
                            char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                            munmap(page + 4096, 4096);
                            strcpy(page + 4096 - 5, "file");
                            say("page's end", open(page + 4096 - 5, O_RDONLY));
                            memset(page, 'a', 4096);
                            say("no end", open(page + 4000, O_RDONLY));
                            say("rename dot", rename(".", "x"));
                            say("rmdir dot", rmdir("."));
                            say("mkdir root", mkdir("/", 0755));
                            say("unlink folder", unlink("."));
                            say("mkdir again", mkdir("file", 0755));
                            setrlimit(RLIMIT_NOFILE, &(struct rlimit) {3, 3});
                            say("no room", open("file", O_RDONLY));
                        }
                        """);

        String output = confined.run(probe).output();
        Files.delete(confined.work.resolve("dangling"));
        Files.delete(confined.work.resolve("missing"));

        assertThat(output).isEqualTo(confined.runFreely(probe).output());
    }

    /// Each line is the same with and without a sandbox.
    @Test
    void what_the_kernel_does_not_take_is_not_taken_here() throws Exception {
        var confined = Confined.judged(temporary);
        var mine = Confined.file(confined.work.resolve("mine"), "mine");
        var ways =
                confined.compile(
                        "ways",
                        """
                        #include <linux/openat2.h>
                        struct longer { struct open_how how; unsigned long more; };
                        static void way(const char *name, const char *file, unsigned long flags,
                                        unsigned long mode, unsigned long resolve) {
                            struct open_how how = {flags, mode, resolve};
                            long got = syscall(SYS_openat2, AT_FDCWD, file, &how, sizeof how);
                            printf("%s %d\\n", name, got < 0 ? errno : 0);
                        }
                        int main(int count, char **words) {
                            const char *file = words[1];
                            way("plain", file, O_RDONLY, 0, 0);
                            way("unknown flag", file, 1L << 30, 0, 0);
                            way("high flag", file, 1L << 40, 0, 0);
                            way("sign", file, 1L << 63, 0, 0);
                            way("low flag", file, 1L << 4, 0, 0);
                            way("mode without", file, O_RDONLY, 0644, 0);
                            way("mode", file, O_RDWR | O_CREAT, 0100644, 0);
                            way("high mode", file, O_RDWR | O_CREAT, 1L << 40, 0);
                            way("path and more", file, O_PATH | O_RDWR, 0, 0);
                            way("unknown resolve", file, O_RDONLY, 0, 1L << 20);
                            way("both", file, O_RDONLY, 0, RESOLVE_BENEATH | RESOLVE_IN_ROOT);
                            struct longer longer = {{O_RDONLY, 0, 0}, 0};
                            long got = syscall(SYS_openat2, AT_FDCWD, file, &longer, sizeof longer);
                            printf("longer %d\\n", got < 0 ? errno : 0);
                            longer.more = 1;
                            syscall(SYS_openat2, AT_FDCWD, file, &longer, sizeof longer);
                            printf("later %d\\n", errno);
                            syscall(SYS_openat2, AT_FDCWD, file, &longer, 8);
                            printf("short %d\\n", errno);
                            syscall(SYS_openat2, AT_FDCWD, file, &longer, 1L << 32);
                            printf("huge %d\\n", errno);
                        }
                        """);
        var expected = confined.runFreely(ways, mine).output();
        assertThat(expected).contains("plain 0", "unknown flag 22", "longer 0", "later 7");
        assertThat(confined.run(ways, mine).output()).isEqualTo(expected);
    }

    /// A descriptor that opens nothing cannot be handed over, so programs take the way that they
    /// have on older kernels.
    @Test
    void what_opens_nothing_is_had_without_openat2() throws Exception {
        var confined = Confined.judged(temporary);
        var mine = Confined.file(confined.work.resolve("mine"), "mine");
        var handles =
                confined.compile(
                        "handles",
                        """
                        #include <linux/openat2.h>
                        int main(int count, char **words) {
                            struct open_how how = {O_PATH | O_CLOEXEC, 0, 0};
                            long got = syscall(SYS_openat2, AT_FDCWD, words[1], &how, sizeof how);
                            printf("openat2 %d\\n", got < 0 ? errno : 0);
                            printf("openat %d\\n", openat(AT_FDCWD, words[1], O_PATH) < 0);
                        }
                        """);
        assertThat(confined.runFreely(handles, mine).output()).contains("openat2 0", "openat 0");
        assertThat(confined.run(handles, mine).output()).contains("openat2 38", "openat 0");
    }
}
