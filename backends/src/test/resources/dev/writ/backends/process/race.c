// SPDX-License-Identifier: Apache-2.0
// Tries to get something past whoever judges its calls, by changing what a call refers to while
// the call is under way. It works in the current folder, where `a` may be used and `b` may not.
//
// usage: race KIND SECONDS [PORT]   prints: tries=N wins=N done=N refused=N
//        race flip                  a flipper of links, for somebody outside to run
//        race tool WORD             exits with 42 and leaves `marker` if WORD or its own name has a `b`
//
// A win is a wrong permission: the contents of `b`, a change of `b`, a connection to `b`, `b`
// running. After a first win it goes on, so that the figures say how easy it was.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long tries, wins, done, refused;
static struct stat b; // what `b` was at the beginning

// What flips lies in memory that threads and processes share.
static struct shared {
    volatile char path[64];
    volatile char word[64];
    struct open_how how;
    struct sockaddr_un un;
    struct sockaddr_in in;
    _Atomic int stop;
} *s;
static volatile char *flipping;
static char one, other;

static void die(const char *what) {
    perror(what);
    exit(3);
}

// Holds each side for a short, changing while: a judge that looks twice meets every order.
static void pause_for(unsigned *seed) {
    *seed = *seed * 1103515245 + 12345;
    for (volatile unsigned i = (*seed >> 16) & 4095; i > 0; i--) {
    }
}

static void *flip(void *unused) {
    (void)unused;
    unsigned seed = 1;
    while (!s->stop) {
        *flipping = one;
        pause_for(&seed);
        *flipping = other;
        pause_for(&seed);
    }
    return 0;
}

static void flip_between(volatile char *at, char x, char y) {
    flipping = at;
    one = x;
    other = y;
    *flipping = one;
}

static void count(int ok) {
    if (ok) done++;
    else refused++;
}

static void make(const char *name) {
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (fd >= 0) close(fd);
}

static int b_is_gone(void) {
    struct stat now;
    return stat("b", &now) != 0 || now.st_ino != b.st_ino;
}

static int is_b(int fd) {
    struct stat now;
    return fstat(fd, &now) == 0 && now.st_ino == b.st_ino && now.st_dev == b.st_dev;
}

static void *path(void) { return (void *)s->path; }

// --- files: one try each ---

static void check_opened(int fd) {
    count(fd >= 0);
    if (fd < 0) return;
    char c = 0;
    if (is_b(fd) || (read(fd, &c, 1) == 1 && c == 'C')) wins++;
    close(fd);
}

static void try_read(void) { check_opened(open(path(), O_RDONLY)); }

static void try_write(void) { check_opened(open(path(), O_WRONLY | O_TRUNC)); }

// Here the name stays and the flags flip: `r` may be read and not written.
static void try_flags(void) {
    int fd = syscall(SYS_openat2, AT_FDCWD, "r", &s->how, sizeof s->how);
    count(fd >= 0);
    if (fd < 0) return;
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY) wins++;
    close(fd);
}

static void try_unlink(void) {
    int r = unlink(path());
    count(r == 0);
    if (b_is_gone()) wins++;
    if (r == 0) make("a");
}

static void try_rename(void) {
    int r = rename(path(), "x");
    count(r == 0);
    if (b_is_gone()) wins++;
    if (r == 0) make("a");
}

static void try_replace(void) {
    make("x");
    count(rename("x", path()) == 0);
    if (b_is_gone()) wins++;
}

static void try_chmod(void) {
    struct stat now;
    count(chmod(path(), 0606) == 0);
    if (stat("b", &now) == 0 && now.st_mode != b.st_mode) wins++;
}

static void try_truncate(void) {
    struct stat now;
    count(truncate(path(), 0) == 0);
    if (stat("b", &now) == 0 && now.st_size != b.st_size) wins++;
}

static void try_link(void) {
    struct stat now;
    int r = link(path(), "x");
    count(r == 0);
    if (stat("x", &now) == 0 && now.st_ino == b.st_ino) wins++;
    if (r == 0) unlink("x");
}

// --- links: the name is always the same, somebody else changes where it leads ---

static void try_symlink(void) { check_opened(open("link", O_RDONLY)); }

static void try_folder(void) { check_opened(open("way/file", O_RDONLY)); }

static void set_link(const char *target, const char *name) {
    char new[64];
    snprintf(new, sizeof new, "%s.new", name);
    unlink(new);
    if (symlink(target, new) == 0) rename(new, name);
}

static void *flip_links(void *unused) {
    (void)unused;
    while (!s || !s->stop) {
        set_link("a", "link");
        set_link("da", "way");
        set_link("b", "link");
        set_link("db", "way");
    }
    return 0;
}

// A second name for `b`, or its name for another object: none of it may ever work.
static void try_names(void) { check_opened(open("h", O_RDONLY)); }

static void *flip_names(void *unused) {
    (void)unused;
    while (!s->stop) {
        link("a", "h");
        unlink("h");
        link("b", "h");
        rename("b", "h");
        syscall(SYS_renameat2, AT_FDCWD, "b", AT_FDCWD, "h", 2);
        unlink("h");
        set_link("b", "h");
        unlink("h");
    }
    return 0;
}

// `s` is now a file and now a folder; as a folder it may not move to where its contents would be
// judged by other rules.
static void try_move(void) {
    struct stat now;
    int r = rename("s", "deep/t");
    count(r == 0);
    if (stat("deep/t", &now) == 0 && S_ISDIR(now.st_mode)) wins++;
    if (r == 0) rename("deep/t", "s");
}

static void *flip_kinds(void *unused) {
    (void)unused;
    while (!s->stop) syscall(SYS_renameat2, AT_FDCWD, "s", AT_FDCWD, "s2", 2);
    return 0;
}

// --- sockets ---

static void check_connected(int fd, int r) {
    union {
        struct sockaddr any;
        struct sockaddr_un un;
        struct sockaddr_in in;
    } peer = {0};
    socklen_t length = sizeof peer;
    count(r == 0 || errno == EINPROGRESS);
    if (getpeername(fd, &peer.any, &length) == 0) {
        if (peer.any.sa_family == AF_INET && peer.in.sin_addr.s_addr != htonl(0x7f000001)) wins++;
        if (peer.any.sa_family == AF_UNIX && strstr(peer.un.sun_path, "socket-b")) wins++;
    }
    struct linger now = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

// Every other one may not wait: these are answered in another way.
static int stream(int family) {
    return socket(family, SOCK_STREAM | (tries % 2 ? SOCK_NONBLOCK : 0), 0);
}

static void try_unix(void) {
    int fd = stream(AF_UNIX);
    check_connected(fd, connect(fd, (struct sockaddr *)&s->un, sizeof s->un));
}

static void try_inet(void) {
    int fd = stream(AF_INET);
    check_connected(fd, connect(fd, (struct sockaddr *)&s->in, sizeof s->in));
}

// --- programs ---

static void check_ended(pid_t child) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) die("no child");
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    count(code == 0);
    if (code == 42 || access("marker", F_OK) == 0) wins++;
}

static void execute(void) {
    char *arguments[] = {"tool", "tool", (char *)s->word, 0};
    char *nothing[] = {0};
    execve(path(), arguments, nothing);
    _exit(126);
}

// The parent of a vfork waits, its other threads do not.
static void try_vfork(void) {
    pid_t child = vfork();
    if (child == 0) execute();
    check_ended(child);
}

// A sibling thread of the one that executes, until the very end.
static void try_sibling(void) {
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, 0, flip, 0);
        execute();
    }
    check_ended(child);
}

// Another process, through a shared mapping.
static void try_mapping(void) {
    pid_t child = fork();
    if (child == 0) execute();
    check_ended(child);
}

static int tool(const char *word) {
    const char *name = (const char *)getauxval(AT_EXECFN);
    if (word[0] != 'b' && name[strlen(name) - 1] != 'b') return 0;
    make("marker");
    return 42;
}

// --- what there is ---

enum flipper { BY_THREAD, BY_PROCESS, BY_ITSELF };

static const struct kind {
    const char *name;
    void (*attempt)(void);
    enum flipper flipper;
    void *(*flip)(void *);
} KINDS[] = {
    {"read", try_read, BY_THREAD, flip},
    {"write", try_write, BY_THREAD, flip},
    {"flags", try_flags, BY_THREAD, flip},
    {"unlink", try_unlink, BY_THREAD, flip},
    {"rename", try_rename, BY_THREAD, flip},
    {"replace", try_replace, BY_THREAD, flip},
    {"chmod", try_chmod, BY_THREAD, flip},
    {"truncate", try_truncate, BY_THREAD, flip},
    {"link", try_link, BY_THREAD, flip},
    {"symlink", try_symlink, BY_ITSELF, 0},
    {"folder", try_folder, BY_ITSELF, 0},
    {"inner-symlink", try_symlink, BY_THREAD, flip_links},
    {"inner-folder", try_folder, BY_THREAD, flip_links},
    {"names", try_names, BY_THREAD, flip_names},
    {"move", try_move, BY_THREAD, flip_kinds},
    {"unix", try_unix, BY_THREAD, flip},
    {"inet", try_inet, BY_THREAD, flip},
    {"exec-word", try_vfork, BY_THREAD, flip},
    {"exec-file", try_vfork, BY_THREAD, flip},
    {"exec-sibling", try_sibling, BY_ITSELF, 0},
    {"exec-mapping", try_mapping, BY_PROCESS, flip},
    {0, 0, 0, 0},
};

static void prepare(const char *kind, int port) {
    strcpy((char *)s->path, "./a");
    strcpy((char *)s->word, "a");
    flip_between(s->path + 2, 'a', 'b');
    if (strcmp(kind, "flags") == 0) {
        flip_between((volatile char *)&s->how.flags, O_RDONLY, O_RDWR);
    }
    if (strcmp(kind, "unix") == 0) {
        s->un.sun_family = AF_UNIX;
        strcpy(s->un.sun_path, "socket-a");
        flip_between(s->un.sun_path + 7, 'a', 'b');
    }
    if (strcmp(kind, "inet") == 0) {
        // The two addresses differ in their last byte.
        s->in.sin_family = AF_INET;
        s->in.sin_port = htons(port);
        inet_pton(AF_INET, "127.0.0.1", &s->in.sin_addr);
        flip_between((volatile char *)&s->in.sin_addr + 3, 1, 2);
    }
    if (strncmp(kind, "exec", 4) == 0) {
        strcpy((char *)s->path, "./tool-a");
        if (strcmp(kind, "exec-file") == 0) flip_between(s->path + 7, 'a', 'b');
        else flip_between(s->word, 'a', 'b');
    }
}

static int run(const struct kind *kind, int seconds, int port) {
    s = mmap(0, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) die("mmap");
    if (stat("b", &b) != 0) die("b");
    prepare(kind->name, port);
    pid_t process = kind->flipper == BY_PROCESS ? fork() : -1;
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        kind->flip(0);
        _exit(0);
    }
    pthread_t thread;
    if (kind->flipper == BY_THREAD && pthread_create(&thread, 0, kind->flip, 0) != 0) die("thread");
    for (time_t end = time(0) + seconds; time(0) < end; tries++) kind->attempt();
    s->stop = 1;
    if (process > 0) waitpid(process, 0, 0);
    if (kind->flipper == BY_THREAD) pthread_join(thread, 0);
    printf("tries=%ld wins=%ld done=%ld refused=%ld\n", tries, wins, done, refused);
    return 0;
}

int main(int count_of_words, char **words) {
    if (count_of_words == 3 && strcmp(words[1], "tool") == 0) return tool(words[2]);
    if (count_of_words == 2 && strcmp(words[1], "flip") == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        flip_links(0);
    }
    if (count_of_words < 3) return 2;
    int port = count_of_words > 3 ? atoi(words[3]) : 0;
    for (const struct kind *kind = KINDS; kind->name; kind++) {
        if (strcmp(kind->name, words[1]) == 0) return run(kind, atoi(words[2]), port);
    }
    return 2;
}
