// SPDX-License-Identifier: Apache-2.0
// Takes more than its share, in many ways, each bounded: a few hundred megabytes, a second or two.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define MIB (1 << 20)
#define MEMORY 192 /* MiB */
#define PART 4     /* MiB in a file */
#define PARTS 12

static int life[2]; /* whoever holds the end to write lives */

static void nap(int ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&t, &t) && errno == EINTR) {}
}

/* Long enough to be looked at. */
static void hold(void) { nap(1000); }

static void got_there(void) { printf("got there\n"); exit(0); }

static void burn(int ms) {
    struct timespec now, start;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}

static void *burn_thread(void *_) { burn(400); return 0; }

/* A child that nobody waits for, in a session of its own. Says whether it was born. */
static int daemonise(void (*work)(void)) {
    int status, child = fork();
    if (child < 0) return 0;
    if (child == 0) {
        int orphan = fork();
        if (orphan == 0) {
            setsid();
            work();
            _exit(0);
        }
        _exit(orphan < 0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void await_orphans(void) {
    char c;
    close(life[1]);
    while (read(life[0], &c, 1) > 0) {}
}

static void burn_a_little(void) { burn(8); }

static void write_all(int fd, int mib);

static void touch(int mib) {
    volatile char *memory = malloc((size_t) mib * MIB);
    for (size_t i = 0; i < (size_t) mib * MIB; i += 4096) memory[i] = 1;
}

static void sockets(void) {
    for (int i = 0; i < 2000; i++) {
        struct sockaddr_un at = {AF_UNIX};
        sprintf(at.sun_path, "socket-%d", i);
        unlink(at.sun_path);
        int s = socket(AF_UNIX, SOCK_STREAM, 0);
        if (bind(s, (void *) &at, sizeof at)) exit(3);
        close(s);
    }
}

static void attributes(void) {
    char value[2048];
    int fd = open("attributes", O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 4000; i++) {
        memset(value, i, sizeof value);
        if (fsetxattr(fd, "user.some", value, sizeof value, 0)) exit(3);
    }
}

/* Memory in which there is nothing takes none, but a table for each 2 MiB does. */
static void read_nothing(void) {
    for (int i = 0; i < MEMORY / 8; i++) {
        size_t size = (size_t) 4 << 30;
        volatile char *memory =
            mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) exit(3);
        for (size_t j = 0; j < size; j += 2 * MIB) (void) memory[j];
    }
}

static pthread_t first;

static void *touch_alone(void *_) {
    pthread_join(first, 0);
    touch(MEMORY);
    hold();
    got_there();
    return 0;
}

static void *burn_alone(void *_) {
    pthread_join(first, 0);
    burn(1000);
    got_there();
    return 0;
}

/* A process whose first thread has ended shows nothing of itself. */
static void leave(void *(*work)(void *)) {
    pthread_t other;
    first = pthread_self();
    pthread_create(&other, 0, work, 0);
    pthread_exit(0);
}

static void *memfd_alone(void *_) {
    unshare(CLONE_FILES);
    for (int i = 0; i < 6; i++) write_all(memfd_create("hog", 0), MEMORY / 6);
    hold();
    return 0;
}

static void touch_part(void) { touch(MEMORY / 6); hold(); }

static void write_all(int fd, int mib) {
    static char page[MIB];
    memset(page, 'x', sizeof page);
    for (int i = 0; i < mib; i++)
        if (write(fd, page, sizeof page) != sizeof page) exit(3);
}

static int part(int i) {
    char name[16];
    sprintf(name, "part%d", i);
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) exit(4);
    unlink(name);
    return fd;
}

static void in_flight(int fd, int socket) {
    char one = 1, space[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec v = {&one, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = space,
                       .msg_controllen = sizeof space};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    if (sendmsg(socket, &m, 0) < 0) exit(5);
    close(fd);
}

static void fill(int how) {
    for (int i = 0; i < PARTS; i++) {
        int fd = part(i);
        if (how == 0) write_all(fd, PART);
        if (how == 1 && fork() == 0) { write_all(fd, PART); _exit(0); }
        if (how == 1) wait(0);
        if (how == 2) {
            ftruncate(fd, PART * MIB);
            char *m = mmap(0, PART * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            memset(m, 1, PART * MIB);
            munmap(m, PART * MIB);
        }
        if (how == 3 && fallocate(fd, 0, 0, PART * MIB)) exit(6);
    }
}

/* --- births --- */

static int stay(void *_) { pause(); return 0; }

static int birth(const char *how, int i) {
    static char stacks[64][16384] __attribute__((aligned(16)));
    int child;
    if (!strcmp(how, "fork") || !strcmp(how, "zombies")) child = fork();
    else if (!strcmp(how, "vfork")) child = vfork();
    else if (!strcmp(how, "raw-fork"))
#ifdef SYS_fork
        child = syscall(SYS_fork);
#else
        child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
    else if (!strcmp(how, "clone-vm")) return clone(stay, stacks[i] + 16384, CLONE_VM | SIGCHLD, 0);
    else if (!strcmp(how, "clone-silent")) return clone(stay, stacks[i] + 16384, CLONE_VM, 0);
    else exit(7);
    if (child == 0) {
        if (!strcmp(how, "vfork")) { execl("/bin/sleep", "sleep", "60", (char *) 0); _exit(9); }
        if (!strcmp(how, "zombies")) _exit(0);
        pause();
    }
    return child;
}

static void said(int born, int of, int error) {
    printf("%d of %d%s%s\n", born, of, error ? ", " : "", error ? strerrorname_np(error) : "");
    fflush(stdout);
}

static void more_to_come(void) {
    for (int i = 0; i < 500; i++) {
        int child = fork();
        if (child == 0) _exit(0);
        if (child > 0) { waitpid(child, 0, 0); printf("more to come\n"); exit(0); }
        nap(10);
    }
    printf("no more\n");
    exit(1);
}

static void births(const char *how) {
    int children[60], born = 0, error = 0;
    for (int i = 0; i < 60; i++) {
        int child = birth(how, i);
        if (child < 0) error = errno;
        else children[born++] = child;
    }
    said(born, 60, error);
    for (int i = 0; i < born; i++) {
        kill(children[i], SIGKILL);
        if (waitpid(children[i], 0, __WALL) != children[i]) exit(8);
    }
    more_to_come();
}

static int leash[2];

static void until_let_go(void) {
    char c;
    close(leash[1]);
    read(leash[0], &c, 1);
}

static void daemons(void) {
    int born = 0;
    pipe(leash);
    for (int i = 0; i < 60; i++) born += daemonise(until_let_go);
    said(born, 60, born < 60 ? EAGAIN : 0);
    close(leash[1]);
    more_to_come();
}

/* --- threads --- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *at_the_gate(void *_) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return 0;
}

static void threads(void) {
    pthread_t all[100];
    pthread_attr_t small;
    int born = 0, error = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_mutex_lock(&gate);
    for (int i = 0; i < 100; i++) {
        int failed = pthread_create(&all[born], &small, at_the_gate, 0);
        if (failed) error = failed;
        else born++;
    }
    said(born, 100, error);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < born; i++) pthread_join(all[i], 0);
    more_to_come();
}

/* --- one call --- */

static void nothing(int _) {}

static void no_child(void) {
    signal(SIGCHLD, nothing);
    int child = fork();
    if (child == 0) _exit(0);
    printf("fork %s", child < 0 ? strerrorname_np(errno) : "ok");
    printf(", wait %s\n", wait(0) < 0 ? strerrorname_np(errno) : "ok");
}

/* Stopped, let go on, and signalled all the time. */
static void disturbed(void) {
    int self = getpid(), refused = 0;
    struct itimerval often = {{0, 700}, {0, 700}};
    signal(SIGALRM, nothing);
    signal(SIGCHLD, nothing);
    int tormentor = fork();
    while (tormentor == 0) {
        kill(self, SIGSTOP);
        nap(1);
        kill(self, SIGCONT);
        nap(2);
    }
    setitimer(ITIMER_REAL, &often, 0);
    for (int i = 0; i < 60; i++) {
        int child = fork();
        if (child == 0) _exit(0);
        if (child < 0 && errno == EAGAIN) refused++;
    }
    kill(tormentor, SIGKILL);
    int status, ended;
    while ((ended = waitpid(tormentor, &status, 0)) < 0 && errno == EINTR) {}
    memset(&often, 0, sizeof often);
    setitimer(ITIMER_REAL, &often, 0);
    printf("%d refused, %s, wait %s\n", refused, ended == tormentor ? "one child" : "no child",
            wait(0) < 0 ? strerrorname_np(errno) : "ok");
    fflush(stdout);
    more_to_come();
}

static void descriptors(void) {
    int born = 0, error = 0;
    if (setrlimit(RLIMIT_NOFILE, &(struct rlimit) {400, 400}))
        printf("raise %s\n", strerrorname_np(errno));
    for (int i = 0; i < 300; i++) {
        if (dup(0) < 0) error = errno;
        else born++;
    }
    said(born, 300, error);
}

static void one_file(void) {
    static char bytes[8192];
    signal(SIGXFSZ, SIG_IGN);
    int fd = open("one", O_RDWR | O_CREAT, 0600);
    lseek(fd, MIB - 4096, SEEK_SET);
    write(fd, bytes, sizeof bytes);
    printf("%ld", (long) lseek(fd, 0, SEEK_CUR));
    printf(", %s", write(fd, bytes, 1) < 0 ? strerrorname_np(errno) : "ok");
    printf(", %s", ftruncate(fd, MIB + 1) ? strerrorname_np(errno) : "ok");
    printf(", %s\n", truncate("one", MIB + 1) ? strerrorname_np(errno) : "ok");
}

static void share(void) {
    touch(40);
    for (int i = 0; i < 4; i++)
        if (fork() == 0) { hold(); _exit(0); }
    while (wait(0) > 0) {}
}

static void bomb(void) {
    while (1) fork();
}

/* Calls fork by code that another thread takes away meanwhile: whoever wants to lead this one to
   something by that code leads it nowhere. Says how many children it was not to have, and has. */
static unsigned char *code;
static volatile int calling;

static void *take_away(void *_) {
    while (1) {
        while (!calling) {}
        usleep(400);
        code[5] = code[6] = 0x90; /* nop */
        while (calling) {}
    }
}

static void unled(void) {
    for (int i = 0; i < 60; i++) if (fork() == 0) { pause(); _exit(0); }
    code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;
    pthread_create(&thread, 0, take_away, 0);
    for (int i = 0; i < 60; i++) {
        memcpy(code, "\xb8\x39\0\0\0\x0f\x05\xc3", 8); /* mov $57, %eax; syscall; ret */
        calling = 1;
        long child = ((long (*)(void))code)();
        calling = 0;
        if (child == 0) _exit(0);
        if (child > 0) waitpid(child, 0, 0);
    }
    int left = 0;
    while (waitpid(-1, 0, WNOHANG) > 0) left++;
    printf("%d left\n", left);
}

/* Threads that a filter of their own keeps from ending, each of which makes the next. Says how many
   there are. */
#define MANY 300
#define STACK 16384

static long chained;
static char *stacks;

static void keep_threads(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) exit(9);
}

static void say_chained(long error) {
    char line[100];
    int length = snprintf(line, sizeof line, "%ld of %d%s%s\n", chained, MANY, error ? ", " : "",
            error ? strerrorname_np(error) : "");
    syscall(SYS_write, 1, line, length);
    syscall(SYS_exit_group, 0);
}

__attribute__((used)) static void chain(void) {
    if (++chained == MANY) say_chained(0);
#ifdef __x86_64__
    long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, result;
    register long r10 __asm__("r10") = 0, r8 __asm__("r8") = 0;
    /* Who has another stack than before is the new one, whatever it is told. */
    __asm__ volatile(
            "mov %%rsp, %%r12\n syscall\n cmp %%rsp, %%r12\n je 1f\n"
            "and $-16, %%rsp\n call chain\n 1:"
            : "=a"(result)
            : "a"(SYS_clone), "D"(flags), "S"(stacks + (chained + 1) * STACK), "d"(0), "r"(r10),
              "r"(r8)
            : "rcx", "r11", "r12", "memory");
    if (result < 0) say_chained(-result);
#endif
    while (1) syscall(SYS_ppoll, 0, 0, 0, 0, 0);
}

static void chain_of_threads(void) {
    stacks = mmap(0, (MANY + 2) * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    chain();
}

int main(int count, char **words) {
    const char *hog = words[1];
    if (strstr(hog, "orphans")) pipe(life);
    if (!strcmp(hog, "sleep")) hold();
    else if (!strcmp(hog, "stopped")) {
        int self = getpid();
        if (fork() == 0) { nap(1000); kill(self, SIGCONT); _exit(0); }
        raise(SIGSTOP);
    } else if (!strcmp(hog, "burn")) burn(1000);
    else if (!strcmp(hog, "burn-threads")) {
        pthread_t all[3];
        for (int i = 0; i < 3; i++) pthread_create(&all[i], 0, burn_thread, 0);
        for (int i = 0; i < 3; i++) pthread_join(all[i], 0);
    } else if (!strcmp(hog, "burn-children")) {
        for (int i = 0; i < 120; i++) {
            if (fork() == 0) { burn(8); _exit(0); }
            wait(0);
        }
    } else if (!strcmp(hog, "burn-orphans")) {
        for (int i = 0; i < 120; i++) daemonise(burn_a_little);
        await_orphans();
    } else if (!strcmp(hog, "touch")) { touch(MEMORY); hold(); }
    else if (!strcmp(hog, "read-nothing")) { read_nothing(); hold(); }
    else if (!strcmp(hog, "touch-leaderless")) leave(touch_alone);
    else if (!strcmp(hog, "burn-leaderless")) leave(burn_alone);
    else if (!strcmp(hog, "memfd-unshared")) {
        pthread_t other;
        pthread_create(&other, 0, memfd_alone, 0);
        pthread_join(other, 0);
    } else if (!strcmp(hog, "touch-children")) {
        for (int i = 0; i < 6; i++)
            if (fork() == 0) { touch_part(); _exit(0); }
        while (wait(0) > 0) {}
    } else if (!strcmp(hog, "touch-orphans")) {
        for (int i = 0; i < 6; i++) daemonise(touch_part);
        await_orphans();
    } else if (!strcmp(hog, "touch-shared")) {
        size_t size = (size_t) MEMORY * MIB;
        memset(mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), 1, size);
        hold();
    } else if (!strcmp(hog, "memfd")) {
        for (int i = 0; i < 6; i++) write_all(memfd_create("hog", 0), MEMORY / 6);
        hold();
    } else if (!strcmp(hog, "memfd-in-flight")) {
        int pair[2];
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        for (int i = 0; i < 6; i++) {
            int fd = memfd_create("hog", 0);
            write_all(fd, MEMORY / 6);
            in_flight(fd, pair[0]);
        }
        hold();
    } else if (!strcmp(hog, "fill-files")) { fill(0); hold(); }
    else if (!strcmp(hog, "fill-children")) { fill(1); hold(); }
    else if (!strcmp(hog, "fill-mapped")) { fill(2); hold(); }
    else if (!strcmp(hog, "fill-reserved")) { fill(3); hold(); }
    else if (!strcmp(hog, "fill-empty")) {
        for (int i = 0; i < 2000; i++) close(part(i));
        hold();
    } else if (!strcmp(hog, "fill-sockets")) { sockets(); hold(); }
    else if (!strcmp(hog, "fill-attributes")) { attributes(); hold(); }
    else if (!strcmp(hog, "say")) write_all(1, 3);
    else if (!strcmp(hog, "daemons")) daemons();
    else if (!strcmp(hog, "threads")) threads();
    else if (!strcmp(hog, "disturbed")) disturbed();
    else if (!strcmp(hog, "no-child")) { no_child(); return 0; }
    else if (!strcmp(hog, "descriptors")) { descriptors(); return 0; }
    else if (!strcmp(hog, "one-file")) { one_file(); return 0; }
    else if (!strcmp(hog, "share")) share();
    else if (!strcmp(hog, "bomb")) bomb();
    else if (!strcmp(hog, "unled")) unled();
    else if (!strcmp(hog, "chain")) chain_of_threads();
    else if (!strcmp(hog, "endless-chain")) { keep_threads(); chain_of_threads(); }
    else births(hog);
    got_there();
}
