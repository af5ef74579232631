// SPDX-License-Identifier: Apache-2.0
// Programs for things to go wrong with. They work in the current folder, where `a` may be used and
// `b` may not.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *self;
static time_t end;

static void one_of_each(long n) {
    char name[32];
    snprintf(name, sizeof name, "f%ld", n % 50);
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    if (fd >= 0) close(fd);
    fd = open("b", O_RDONLY);
    if (fd >= 0) _exit(9);
    chmod(name, 0640);
    rename(name, "g");
    mkdir("d", 0700);
    rmdir("d");
    unlink("g");
    struct sockaddr_un nobody = {.sun_family = AF_UNIX, .sun_path = "nobody"};
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    connect(fd, (struct sockaddr *)&nobody, sizeof nobody);
    close(fd);
}

static void *calls(void *seed) {
    for (long n = (long)seed; time(0) < end; n++) one_of_each(n);
    return 0;
}

// Threads that call, and processes that come and go, also out of the session.
static int churn(void) {
    pthread_t thread;
    for (long i = 0; i < 3; i++) pthread_create(&thread, 0, calls, (void *)(i * 100));
    for (long n = 0; time(0) < end; n++) {
        pid_t child = n % 3 == 0 ? vfork() : fork();
        if (child == 0) {
            if (n % 3 == 1) {
                setsid();
                if (fork() == 0) for (;;) one_of_each(n);
                _exit(0);
            }
            execl(self, self, "nothing", "0", (char *)0);
            _exit(1);
        }
        if (n % 2 == 0) waitpid(child, 0, 0);
    }
    return 0;
}

// As many calls as can be made, from threads of a few processes.
static int flood(void) {
    pthread_t threads[10];
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) break;
    }
    for (long i = 0; i < 10; i++) pthread_create(&threads[i], 0, calls, (void *)i);
    for (int i = 0; i < 10; i++) pthread_join(threads[i], 0);
    while (wait(0) > 0) {
    }
    return 0;
}

// Opens `a` and `b` again and again, and counts what came of it.
static int reader(void) {
    long good = 0, failed = 0, wrong = 0;
    int last = 0;
    while (time(0) < end) {
        char c = 0;
        int fd = open("a", O_RDONLY);
        last = fd >= 0;
        if (fd < 0) failed++;
        else if (read(fd, &c, 1) == 1 && c == 'f') good++;
        else wrong++;
        if (fd >= 0) close(fd);
        fd = open("new", O_CREAT | O_EXCL | O_RDWR, 0600);
        struct stat status;
        if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_size != 0)) wrong++;
        if (fd >= 0) close(fd);
        unlink("new");
        fd = open("b", O_RDONLY);
        if (fd >= 0) wrong++;
        if (fd >= 0) close(fd);
    }
    printf("good=%ld failed=%ld wrong=%ld last=%d\n", good, failed, wrong, last);
    return 0;
}

// Folders come and go while names in them are used.
static void *vanish(void *unused) {
    while (time(0) < end) {
        mkdir("v", 0700);
        mkdir("v/w", 0700);
        unlink("v/w/x");
        rmdir("v/w");
        rename("v", "u");
        rmdir("u");
    }
    return unused;
}

static int vanishing(void) {
    pthread_t thread;
    pthread_create(&thread, 0, vanish, 0);
    long made = 0, failed = 0;
    while (time(0) < end) {
        int fd = open("v/w/x", O_CREAT | O_RDWR, 0600);
        if (fd >= 0) made++;
        else if (errno == ENOENT || errno == ENOTDIR) failed++;
        else return errno;
        if (fd >= 0) close(fd);
        int folder = open("v/w", O_PATH | O_DIRECTORY);
        if (folder >= 0) {
            fd = openat(folder, "x", O_CREAT | O_RDWR, 0600);
            if (fd >= 0) close(fd);
            mkdirat(folder, "y", 0700);
            unlinkat(folder, "y", AT_REMOVEDIR);
            close(folder);
        }
    }
    pthread_join(thread, 0);
    printf("made=%ld failed=%ld\n", made, failed);
    return 0;
}

// The first thread waits in an open, and another one becomes a new program.
static void *become_another(void *unused) {
    usleep(200000);
    execl(self, self, "nothing", "0", (char *)0);
    return unused;
}

static int leave_waiting(void) {
    pthread_t thread;
    pthread_create(&thread, 0, become_another, 0);
    return open("fifo", O_RDONLY) >= 0;
}

// Stopped while it waits in an open, continued, and then answered.
static int stopped(void) {
    pid_t child = fork();
    if (child == 0) {
        char c = 0;
        int fd = open("fifo", O_RDONLY);
        _exit(fd >= 0 && read(fd, &c, 1) == 1 && c == 'x' ? 7 : 1);
    }
    usleep(200000);
    kill(child, SIGSTOP);
    usleep(200000);
    int fd = open("fifo", O_WRONLY);
    if (fd < 0 || write(fd, "x", 1) != 1) return 2;
    int status = 0;
    if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status)) return 3;
    kill(child, SIGCONT);
    if (waitpid(child, &status, 0) != child) return 4;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

// Stops itself in the midst of calls, and is continued by its parent.
static int stops_itself(void) {
    pid_t child = fork();
    if (child == 0) {
        for (long i = 0; i < 50; i++) {
            one_of_each(i);
            raise(SIGSTOP);
        }
        _exit(7);
    }
    int status = 0;
    while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) kill(child, SIGCONT);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

static void ring(int number) { (void)number; }

static void ring_soon(int flags) {
    struct sigaction action = {.sa_handler = ring, .sa_flags = flags};
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 300000}}, 0);
}

static int opens(void) { return open("fifo", O_RDONLY) >= 0; }

static int opens_until_it_rings(void) {
    ring_soon(0);
    return open("fifo", O_RDONLY) < 0 && errno == EINTR ? 7 : 1;
}

static int opens_though_it_rings(void) {
    ring_soon(SA_RESTART);
    if (fork() == 0) {
        usleep(800000);
        _exit(open("fifo", O_WRONLY) < 0);
    }
    return open("fifo", O_RDONLY) >= 0 ? 7 : 1;
}

static int connects(void) {
    struct sockaddr_un to = {AF_UNIX, "full"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&to, sizeof to) || listen(listener, 0)) return 3;
    ring_soon(0);
    while (connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof to) == 0) {}
    return errno == EINTR ? 7 : 1;
}

// What becomes of one that waits, and gets a signal after a moment.
static int signalled(int (*wait)(void), int number) {
    pid_t child = fork();
    if (child == 0) _exit(wait());
    usleep(300000);
    if (number) kill(child, number);
    int status = 0;
    for (int i = 0; i < 50; i++) {
        usleep(100000);
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFSIGNALED(status) ? WTERMSIG(status) == number ? 7 : 4 : WEXITSTATUS(status);
    }
    kill(child, SIGKILL);
    return 9; // it waits on
}

int main(int count, char **words) {
    if (count < 3) return 2;
    self = "fault";
    end = time(0) + atoi(words[2]);
    const char *what = words[1];
    if (strcmp(what, "nothing") == 0) return 0;
    if (strcmp(what, "churn") == 0) return churn();
    if (strcmp(what, "flood") == 0) return flood();
    if (strcmp(what, "reader") == 0) return reader();
    if (strcmp(what, "vanishing") == 0) return vanishing();
    if (strcmp(what, "leave-waiting") == 0) return leave_waiting();
    if (strcmp(what, "stopped") == 0) return stopped();
    if (strcmp(what, "stops-itself") == 0) return stops_itself();
    if (strcmp(what, "told-to-end") == 0) return signalled(opens, SIGTERM);
    if (strcmp(what, "rings-at-pipe") == 0) return signalled(opens_until_it_rings, 0);
    if (strcmp(what, "rings-and-goes-on") == 0) return signalled(opens_though_it_rings, 0);
    if (strcmp(what, "rings-at-socket") == 0) return signalled(connects, 0);
    return 2;
}
