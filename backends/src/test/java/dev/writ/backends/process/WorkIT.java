// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Ordinary work goes as it goes without a sandbox, whoever enforces the rules.
class WorkIT {
    private static final String SHELL =
            """
            set -e
            umask 027; echo one > a; echo two >> a; mkdir -p d/e/f; cp -a a d/e/; ln -s a l; ln a h
            stat -c '%n %A' a d; cat l h; mv d/e d/g; find . -mindepth 1 ! -name '.*' -type f | sort
            ls -R d; touch -d @1000 a; stat -c %Y a; chmod 600 a; stat -c %a a; echo x > new; mv new a
            tar cf t.tar d; mkdir u; tar xpf t.tar -C u; diff -r d u/d; rm -r u t.tar; ls
            f=$(mktemp -p .); test -w $f; rm $f; (cd d && pwd | sed 's:.*/::'); head -c 3 < a > b; cmp a b || echo differ
            (echo 1; echo 2) | sort -r | tee s; sleep 0 & wait; ls missing 2>/dev/null || echo none
            : > trunc; printf abc > trunc; truncate -s 1 trunc; cat trunc; echo; rmdir d/e 2>/dev/null || echo gone
            exec 3<> rw; echo x >&3; exec 3>&-; cat rw
            """;

    /// What needs a judge: it reads `/` and `/proc`.
    private static final String MORE =
            """
            bash -c 'cat <(echo substituted)'; ls / > list; ls -l /proc/self/fd > list; cat /proc/self/comm
            """;

    private static final String PYTHON =
            """
            import fcntl, mmap, multiprocessing, os, socket, sqlite3, subprocess, tempfile, threading
            db = sqlite3.connect('x.db'); db.execute('create table t (a)'); db.execute('insert into t values (1)'); db.commit()
            print(db.execute('select * from t').fetchall())
            def save(n):
                with tempfile.NamedTemporaryFile('w', dir='.', delete=False) as f: f.write(str(n)); f.flush(); os.fsync(f.fileno())
                os.replace(f.name, 'saved')
            threads = [threading.Thread(target=save, args=(7,)) for _ in range(8)]
            [t.start() for t in threads]; [t.join() for t in threads]
            print(open('saved').read())
            with open('lock', 'w') as f: fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX); f.write('x' * 4096)
            with open('lock', 'r+b') as f: m = mmap.mmap(f.fileno(), 0); m[0:1] = b'y'; m.flush()
            print(open('lock').read(2))
            a, b = socket.socketpair(); a.sendall(b'pair'); print(b.recv(4))
            r, w = os.pipe(); os.write(w, b'pipe'); print(open('/proc/self/fd/%d' % r, 'rb').read(4))
            print(subprocess.run(['sort'], input=b'b\\na\\n', capture_output=True).stdout)
            p = os.fork()
            if p == 0: os._exit(3)
            print(os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]))
            d = os.open('.', os.O_RDONLY); f = os.open('at', os.O_CREAT | os.O_WRONLY, 0o640, dir_fd=d); os.close(f)
            print(oct(os.stat('at', dir_fd=d).st_mode), sorted(os.listdir(d))[:2])
            os.mkfifo('fifo'); t = threading.Thread(target=lambda: open('fifo', 'w').write('fifo')); t.start(); print(open('fifo').read()); t.join()
            """;

    @TempDir Path temporary;

    private static void isTheSame(Confined confined, Object... command) throws Exception {
        var inside = confined.run(command);
        confined.runFreely("/bin/sh", "-c", "rm -rf ./* ./.[!.]*");
        var outside = confined.runFreely(command);

        assertThat(inside).isEqualTo(outside);
        assertThat(inside.code()).isZero();
    }

    private Confined judged() throws Exception {
        return Confined.judged(temporary).allow("read:/").deny("read:**/.env", "write:./never");
    }

    @Test
    void a_shell_and_its_tools_work_where_calls_are_judged() throws Exception {
        isTheSame(judged(), "/bin/sh", "-c", SHELL + MORE);
    }

    @Test
    void a_shell_and_its_tools_work_under_the_kernel_alone() throws Exception {
        isTheSame(Confined.byKernel(temporary), "/bin/sh", "-c", SHELL);
    }

    @Test
    void python_works() throws Exception {
        var python = Path.of("/usr/bin/python3");
        assumeTrue(Files.isExecutable(python), "needs python3");

        isTheSame(judged(), python, "-c", PYTHON);
    }

    @Test
    void git_works() throws Exception {
        var git = Path.of("/usr/bin/git");
        assumeTrue(Files.isExecutable(git), "needs git");

        isTheSame(
                // A worktree is a file `.git`, so it has to be named.
                judged().deny("write:**/.git/hooks/x").allow("write:./w/.git"),
                "/bin/sh",
                "-c",
                """
                set -e
                export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b HOME=.
                export GIT_AUTHOR_DATE=2000-01-01T00:00:00Z GIT_COMMITTER_DATE=2000-01-01T00:00:00Z
                git init -q -b main r; cd r; echo x > f; git add f; git commit -q -m one
                git checkout -q -b two; echo y >> f; git commit -q -a -m two; git checkout -q main
                git merge -q two; git log --oneline; git gc -q; git clone -q . ../c; git -C ../c status -s; git stash list
                git worktree add -q ../w two~1; git -C ../w log --format=%s; git mv f g; git status -s
                """);
    }

    @Test
    void gcc_works() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/gcc")), "needs gcc");
        var confined = judged();
        Confined.file(
                confined.tools.resolve("m.c"), "#include <stdio.h>\nint main(){puts(\"m\");}");
        // The compiler keeps its intermediate files in the folder for temporary files.
        isTheSame(
                confined,
                "/bin/sh",
                "-c",
                "export TMPDIR=$PWD; gcc -g -pipe -o m " + confined.tools + "/m.c && ./m");
    }

    /// Whoever hands a file over must not have it open any more when the program goes on.
    private static final String AT_ONCE =
            """
            #include <sys/file.h>
            int main(int count, char **words) {
                int busy = 0, locked = 0;
                for (int i = 0; i < 500; i++) {
                    int file = open("script", O_CREAT | O_TRUNC | O_WRONLY, 0700), status;
                    write(file, "#!/bin/true\\n", 12);
                    close(file);
                    if (fork() == 0) {
                        execl("./script", "script", NULL);
                        _exit(errno == ETXTBSY ? 1 : 2);
                    }
                    wait(&status);
                    busy += status != 0;
                    file = open("lock", O_CREAT | O_RDWR, 0600);
                    locked += flock(file, LOCK_EX | LOCK_NB) != 0;
                    close(file);
                }
                printf("busy %d, locked %d\\n", busy, locked);
            }
            """;

    @Test
    void what_was_just_written_can_be_started_and_what_was_just_locked_can_be_locked()
            throws Exception {
        var confined = Confined.judged(temporary);
        var program = confined.compile("at-once", AT_ONCE);
        assertThat(confined.runFreely(program).output()).isEqualTo("busy 0, locked 0\n");
        assertThat(confined.run(program).output()).isEqualTo("busy 0, locked 0\n");
    }
}
