# SPDX-License-Identifier: Apache-2.0
# Real tools at real work, each under the profile for it and nothing more: what it is for works, what is next to it does not.
. "$(dirname -- "$0")/words"

realhome=$HOME
home=$work/home
mkdir -p "$home/.ssh" "$home/.cache" "$home/.cargo" "$home/go"
echo CANARY > "$home/.ssh/id_test"
echo CANARY > "$work/outside"
printf '[user]\n\tname = A Tester\n\temail = tester@example.com\n[init]\n\tdefaultBranch = main\n' > "$home/.gitconfig"

# has_tool NAME...: whether all are there; says which is not
has_tool() {
    for name; do
        command -v "$name" > /dev/null || {
            echo "skip $1: $name is not installed"
            return 1
        }
    done
}

# project NAME: a new folder to work in
project() {
    mkdir -p "$work/$1"
    cd "$work/$1" || exit 1
}

# under PROFILE COMMAND...: its output, and the last lines of both if something is wrong
# with MORE flags, if there are any
under() {
    profile=$1
    shift
    # shellcheck disable=SC2086
    HOME=$home "$here/writ" run --no-policy --profile "$profile" ${more-} -- "$@" < /dev/null 2> "$work/err" || {
        echo "ended with $?"
        tail -n 40 "$work/err" >&2
    }
}

# keeps NAME GOT: the canary has not been seen
keeps() {
    case $2 in
        *CANARY*) echo "not ok $1" ;;
        *) echo "ok $1" ;;
    esac
}

# --- git ---
if has_tool git; then
    project git
    HOME=$home git init -q .
    cp .git/config "$work/config.before"
    cat > work.sh << 'END'
set -e
echo one > a
git add a
git commit -qm one
git checkout -q -b side
echo two >> a
git commit -qam two
git checkout -q main
echo three > b
git add b
git commit -qm three
git checkout -q side
git rebase -q main
git checkout -q main
git merge -q --no-ff -m merge side
echo four >> b
git stash -q
git diff --quiet
git stash pop -q
git commit -qam four
GIT_EDITOR=true git commit -q --amend
git tag -a v1 -m one
git worktree add -q tree -b limb
(cd tree && echo five > c && git add c && git commit -qm five)
git worktree list | sed -n 2p
git blame a | sed -n 's/.*) two/blamed/p'
git gc -q
git fsck --no-dangling
git clone -q --bare "file://$PWD" bare.git
git describe
git log --oneline limb | cat -n | sed -n '$p'
END
    got=$(more='--allow write:./tree/.git --allow write:./.git/worktrees/tree/commondir'; under git sh work.sh)
    has 'git: commit, branch, rebase, merge, stash, worktree, tag, blame, gc' 'v1' "$got"
    has 'git: a worktree' '[limb]' "$got"
    has 'git: blame' 'blamed' "$got"
    has 'git: the history is whole' '6	' "$got"
    got=$(under workspace sh -c 'git status --short | sort | head -n 1; git log -1 --format=%s')
    has 'git: works in the default profile' 'four' "$got"

    under git sh -c 'git config core.fsmonitor ./evil; echo x > .git/hooks/pre-commit; git remote add o ./x
        git push . main:y; git -C . push . main:y; git -c alias.p=push p . main:y; "$(git --exec-path)/git-push" . main:y' > /dev/null 2>&1
    under workspace sh -c 'mkdir -p e/objects e/refs other; echo "gitdir: ../e" > other/.git; ln -s ../e other/.git; echo ../../../e > .git/worktrees/tree/commondir' > /dev/null 2>&1
    same 'git: nothing can say that a repository lies elsewhere' '../..' "$(ls other/.git 2>/dev/null; cat .git/worktrees/tree/commondir)"
    same 'git: the configuration of a repository is guarded' '' "$(diff "$work/config.before" .git/config)"
    [ ! -e .git/hooks/pre-commit ] && echo 'ok git: its hooks are guarded' || echo 'not ok git: its hooks are guarded'
    git rev-parse -q --verify y > /dev/null && echo 'not ok git: pushing is asked for' || echo 'ok git: pushing is asked for'
    under git sh -c 'perl -e 1' > /dev/null 2>&1
    has 'git: what no rule starts is said' '/perl` to `allow`' "$(cat "$work/err")"
    keeps 'git: does not show a key' "$(under git git diff --no-index /dev/null "$home/.ssh/id_test")"

    printf '#!/bin/sh\necho hooked\n' > .git/hooks/pre-commit
    chmod +x .git/hooks/pre-commit
    has 'git: your hooks run' 'hooked' "$(under git git commit --allow-empty -qm hook 2>&1; cat "$work/err")"
    rm .git/hooks/pre-commit
    under git git worktree add -q elsewhere > /dev/null 2>&1
    has 'git: what a worktree takes is said' 'add `write:./elsewhere/.git` to `allow`' "$(cat "$work/err")"

    # Nobody runs git among the temporary files but the agent itself, so nothing is guarded there; and nothing of it gets out.
    cat > temporary.sh << 'END'
cd "$TMPDIR" || exit 1
git init -q a && git -C a config core.pager cat && git -C a commit -q --allow-empty -m one
git clone -q a b && git -C b worktree add -q ../tree && git -C tree log --format=%s
echo evil > b/.git/hooks/pre-commit && echo hooked
cd "$OLDPWD" || exit 1
mv "$TMPDIR/b" stolen; cp -r "$TMPDIR/b" copied; ln -s "$TMPDIR/b/.git" other/.git; ln "$TMPDIR/b/.git/hooks/pre-commit" .git/hooks/pre-commit
mv "$TMPDIR/b/.git" moved; mv moved other/.git; mv "$TMPDIR" whole
ls -d */.git/hooks */*/.git/hooks */.git/config */*/.git/config .git/hooks/pre-commit 2> /dev/null
rm -rf stolen copied moved whole
END
    same 'git: init, clone and worktree among the temporary files, and nothing guarded gets out' 'one
hooked' "$(HOME=$home "$here/writ" run --no-policy --profile git --allow shell:mv,cp,ln,ls,rm -- sh temporary.sh 2> /dev/null)"

    # A new repository has hooks and a configuration, and is named for that.
    # fresh NAME FOLDER COMMAND...
    fresh() {
        claim=$1
        folder=$2
        shift 2
        HOME=$home "$here/writ" run --no-policy --profile git --allow "write:./$folder/.git/config" --allow "write:./$folder/.git/hooks" \
            -- "$@" "$folder" 2> "$work/err" || cat "$work/err" >&2
        has "$claim" 'repositoryformatversion' "$(cat "$folder/.git/config" 2>&1)"
    }
    fresh 'git: init of a repository that is named' new git init -q
    fresh 'git: clone by path into one that is named' by-path git clone -q .
    fresh 'git: clone by URL into one that is named' by-url git clone -q "file://$PWD"
    has 'git: not of one that is not' 'ended with' "$(under git git init -q unnamed 2>/dev/null)"
fi

# --- C ---
if has_tool gcc make; then
    project c
    printf 'test: hello\n\t./hello\nhello: hello.c\n\tgcc -O2 -Wall -o $@ $<\n' > Makefile
    cat > hello.c << 'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char name[4096], line[64] = "nothing";
    snprintf(name, sizeof name, "%s/.ssh/id_test", getenv("HOME"));
    FILE *f = fopen(name, "r");
    if (f) fgets(line, sizeof line, f);
    printf("hello, %s\n", line);
    return 0;
}
END
    has 'make and gcc: build and run' 'hello, nothing' "$(under workspace make -j2 test)"
    has 'make: output of one at a time, in files that tmpfile(3) makes' 'hello, nothing' "$(under workspace make -j2 --output-sync=target test)"
    if has_tool ccache; then
        echo 'int main(void) { return 0; }' > a.c
        same 'ccache: compiles, with a cache of its own' '' "$(under workspace ccache gcc -c a.c)"
    fi
fi

# --- processes ---
if has_tool ps pgrep; then
    project processes
    got=$(under workspace sh -c 'sleep 60 & ps -ef; pgrep -x sleep > /dev/null && pkill -x sleep && echo killed')
    has 'ps: shows the processes of the sandbox' 'sleep 60' "$got"
    has 'pkill: finds them' 'killed' "$got"
    pgrep -f tools.sh > /dev/null && same 'ps: shows no other' '' "$(echo "$got" | grep tools.sh)"
fi

# --- tool managers ---
# installed FOLDER ELSEWHERE: what a name of the PATH leads to, in a home as tool managers lay it out
installed() {
    mkdir -p "$home/$1" "$home/$2/bin"
    printf '#!/bin/sh\nexec "$HOME/%s/bin/real-tool"\n' "$2" > "$home/$1/some-tool"
    printf '#!/bin/sh\ncat "$HOME/%s/data"; echo evil 2> /dev/null >> "$HOME/%s/some-tool"\n' "$2" "$1" > "$home/$2/bin/real-tool"
    echo 'from its folder' > "$home/$2/data"
    chmod +x "$home/$1/some-tool" "$home/$2/bin/real-tool"
    got=$(HOME=$home PATH=$home/$1:$PATH "$here/writ" run -- some-tool 2> /dev/null; grep evil "$home/$1/some-tool")
    same "tools: a program of your $1 runs, and writes nothing there" 'from its folder' "$got"
}
project managers
installed .pyenv/shims .pyenv/versions/3.13.0
installed .rbenv/shims .rbenv/versions/3.4.1
installed .asdf/shims .asdf/installs/ruby/3.4.1
installed .local/share/mise/shims .local/share/mise/installs/node/24
installed .nvm/versions/node/v24.0.0/bin .nvm/versions/node/v24.0.0/lib/node_modules/some-tool
installed .volta/bin .volta/tools/image/node/24.0.0
installed .sdkman/candidates/java/current/bin .sdkman/candidates/java/25
installed .local/bin .local/share/pipx/venvs/some-tool
rm -rf "$home/.pyenv" "$home/.rbenv" "$home/.asdf" "$home/.nvm" "$home/.volta" "$home/.sdkman" "$home/.local"

# --- Python ---
if has_tool python3 && /usr/bin/python3 -c 'import ensurepip' 2> /dev/null; then
    project venv
    got=$(under python sh -c '/usr/bin/python3 -m venv .venv && .venv/bin/python -c "import sys; print(sys.prefix)" && .venv/bin/pip --version
        cp .venv/bin/pip pip && ./pip --version && echo wrong')
    has 'venv: can be used in the run that makes it' "$PWD/.venv" "$got"
    has 'venv: and its pip' "from $PWD/.venv" "$got"
    same 'venv: nothing beside it' '' "$(echo "$got" | grep wrong)"
fi
if has_tool uv; then
    project uv
    mkdir -p "$home/.cache"
    has 'uv: an environment of its own' 'ready' "$(under python sh -c 'uv venv -q --offline --python /usr/bin/python3 .venv && .venv/bin/python -c "print(\"ready\")"')"
fi
pytest=$(command -v pytest-3 || command -v /usr/bin/pytest || true)
if [ -n "$pytest" ]; then
    project python
    cat > test_real.py << 'END'
import asyncio, multiprocessing, os, pathlib, socket, socketserver, sqlite3, subprocess
from multiprocessing import shared_memory
import pytest

def double(n):
    return 2 * n

def test_pool_of_processes():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(double, [1, 2]) == [2, 4]

def test_folder_for_temporary_files(tmp_path):
    (tmp_path / "a").write_text("b")

def test_database():
    with sqlite3.connect("a.db") as db:
        db.execute("create table a (b)")

def test_manager():
    with multiprocessing.Manager() as manager:
        shared = manager.dict(a=1)
        assert dict(shared) == {"a": 1}

def test_server():
    with socketserver.TCPServer(("localhost", 0), socketserver.BaseRequestHandler) as server:
        socket.create_connection(server.server_address).close()

def add(name, values, lock):
    memory = shared_memory.SharedMemory(name)
    with lock:
        memory.buf[0] += 1
        values[0] += 1
    memory.close()

def test_shared_memory():
    memory, values, lock = shared_memory.SharedMemory(create=True, size=9), multiprocessing.Array("i", 1), multiprocessing.Lock()
    both = [multiprocessing.Process(target=add, args=(memory.name, values, lock)) for _ in range(2)]
    [process.start() for process in both]
    [process.join() for process in both]
    assert (memory.buf[0], values[0]) == (2, 2)
    memory.close()
    memory.unlink()

def test_port_that_was_free():
    with socket.create_server(("localhost", 0)) as looking:
        port = looking.getsockname()[1]
    with socket.create_server(("localhost", port)) as server:
        socket.create_connection(server.getsockname()).close()

def test_datagrams():
    with socket.socket(type=socket.SOCK_DGRAM) as server, socket.socket(type=socket.SOCK_DGRAM) as client:
        server.bind(("localhost", 0))
        client.sendto(b"hi", server.getsockname())
        assert server.recv(9) == b"hi"

def test_subprocess():
    async def start():
        process = await asyncio.create_subprocess_exec("echo", "hi", stdout=asyncio.subprocess.PIPE)
        return (await process.communicate())[0]
    assert asyncio.run(start()) == b"hi\n"

def test_keys_are_not_readable():
    with pytest.raises(PermissionError):
        (pathlib.Path.home() / ".ssh/id_test").read_text()

def test_nothing_outside_is_writable():
    with pytest.raises(PermissionError):
        open("../outside", "a")
END
    has 'pytest: processes, shared memory, temporary files, a database, servers; no keys' '11 passed' "$(under python "$pytest" -q)"
    same 'pytest: is refused nothing that it needs' '' "$(grep -e shm -e listen "$work/err")"
else
    echo 'skip pytest: it is not installed'
fi

# --- Node ---
if has_tool node npm; then
    project node
    echo '{"name": "t", "version": "1.0.0", "scripts": {"test": "node --test"}}' > package.json
    cat > a.test.js << 'END'
const test = require('node:test'), assert = require('node:assert'), fs = require('fs'), os = require('os');
test('adds', () => assert.equal(1 + 1, 2));
test('writes', () => fs.writeFileSync('out', 'x'));
test('has no keys', () => assert.throws(() => fs.readFileSync(os.homedir() + '/.ssh/id_test'), {code: 'EACCES'}));
test('stays inside', () => assert.throws(() => fs.writeFileSync('../outside', 'x'), {code: 'EACCES'}));
test('serves itself', async () => {
    const server = require('http').createServer((_, answer) => answer.end('hello')).listen(0);
    await new Promise(up => server.on('listening', up));
    const page = await fetch('http://localhost:' + server.address().port);
    assert.equal(await page.text(), 'hello');
    server.close();
    server.closeAllConnections();
});
END
    has 'npm test: runs, and stays inside' 'pass 5' "$(under node npm test)"
fi

# --- Go ---
if has_tool go; then
    project go
    printf 'module example.com/t\n\ngo 1.19\n' > go.mod
    printf 'package main\n\nfunc add(a, b int) int { return a + b }\n\nfunc main() { println(add(1, 2)) }\n' > main.go
    cat > main_test.go << 'END'
package main

import (
	"os"
	"testing"
)

func TestAdd(t *testing.T) {
	if add(1, 2) != 3 {
		t.Fatal("does not add")
	}
}

func TestKeys(t *testing.T) {
	if _, err := os.ReadFile(os.Getenv("HOME") + "/.ssh/id_test"); !os.IsPermission(err) {
		t.Fatal(err)
	}
	if _, err := os.Create("../outside"); !os.IsPermission(err) {
		t.Fatal(err)
	}
}
END
    under go env CGO_ENABLED=0 go build -o t . > "$work/out"
    same 'go build: builds' '' "$(cat "$work/out")"
    same 'go: keeps no counts in the home' '' "$(grep -e telemetry -e config "$work/err")"
    same 'go: a static program runs' '3' "$(HOME=$home "$here/writ" run --no-policy --profile go -- ./t 2>&1)"
    has 'go test: builds and runs; no keys' 'ok  	example.com/t' "$(under go env CGO_ENABLED=0 go test -vet=off ./...)"
fi

# --- Rust ---
if has_tool cargo; then
    project rust
    [ -d "$realhome/.rustup" ] && ln -s "$realhome/.rustup" "$home/.rustup"
    mkdir src
    printf '[package]\nname = "t"\nversion = "0.1.0"\nedition = "2021"\n' > Cargo.toml
    echo 'fn main() { println!("cargo:rerun-if-changed=build.rs"); }' > build.rs
    cat > src/lib.rs << 'END'
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}

#[test]
fn stays_inside() {
    let key = format!("{}/.ssh/id_test", std::env::var("HOME").unwrap());
    assert_eq!(std::fs::read(key).unwrap_err().kind(), std::io::ErrorKind::PermissionDenied);
    assert!(std::fs::write("../outside", "x").is_err());
}
END
    has 'cargo test: builds and runs; no keys' '2 passed' "$(under rust cargo test --offline -q --lib)"
    same 'cargo build: builds' '' "$(under rust cargo build --offline -q)"
fi

# --- Java ---
if has_tool java; then
    project java
    cat > Hello.java << 'END'
import java.nio.file.*;

public class Hello {
    public static void main(String[] args) throws Exception {
        String key = "no key";
        try {
            key = Files.readString(Path.of(System.getenv("HOME"), ".ssh/id_test"));
        } catch (AccessDeniedException expected) {
        }
        System.out.println("hello, " + key + ", " + new ProcessBuilder("true").start().waitFor());
    }
}
END
    echo 'class Temp { public static void main(String[] a) throws Exception { System.out.println(java.io.File.createTempFile("abc", "d").exists()); } }' > Temp.java
    same 'java: makes temporary files' 'true' "$(under java java Temp.java)"
    same 'java: runs a source file; no keys' 'hello, no key, 0' "$(under java java Hello.java)"
    same 'java: also in the default profile' 'hello, no key, 0' "$(under workspace java Hello.java)"
fi
if has_tool mvn; then
    project maven
    version() { # of a plugin that the build of Writ has fetched
        sed -n "/<artifactId>$1</{n;s/.*<version>\(.*\)<.*/\1/p;}" "$here/pom.xml" | head -n 1
    }
    plugin() { echo "<plugin><artifactId>$1</artifactId><version>${2:-$(version "$1")}</version></plugin>"; }
    property() { sed -n "s/.*<version.$1>\(.*\)<.*/\1/p" "$here/pom.xml" | head -n 1; }
    ln -s "$realhome/.m2" "$home/.m2"
    mkdir -p src/main/java src/test/java
    cat > pom.xml << END
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>t</groupId><artifactId>t</artifactId><version>1</version>
  <properties><maven.compiler.release>17</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies><dependency>
    <groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>$(property junit)</version><scope>test</scope>
  </dependency></dependencies>
  <build><plugins>
    $(plugin maven-resources-plugin) $(plugin maven-compiler-plugin) $(plugin maven-surefire-plugin)
    $(plugin maven-jar-plugin "$(property jar-plugin)")
  </plugins></build>
</project>
END
    echo 'class A { static int add(int a, int b) { return a + b; } }' > src/main/java/A.java
    cat > src/test/java/ATest.java << 'END'
import static org.junit.jupiter.api.Assertions.*;
import java.nio.file.*;
import org.junit.jupiter.api.Test;

class ATest {
    @Test void adds() { assertEquals(3, A.add(1, 2)); }

    @Test void stays_inside() {
        assertThrows(AccessDeniedException.class, () -> Files.readString(Path.of(System.getenv("HOME"), ".ssh/id_test")));
        assertThrows(AccessDeniedException.class, () -> Files.writeString(Path.of("../outside"), "x"));
    }
}
END
    # Java asks the system, not HOME, where home is.
    MAVEN_OPTS="-Duser.home=$home"
    export MAVEN_OPTS
    if mvn -o -q -B package -Dtest='ATest#adds' > "$work/native.out" 2>&1; then
        rm -rf target
        has 'mvn -o package: compiles, tests and packs; no keys' 'Tests run: 2, Failures: 0' "$(under java mvn -o -B package)"
        [ -s target/t-1.jar ] && echo 'ok mvn: the archive is there' || echo 'not ok mvn: the archive is there'
    else
        echo 'skip mvn: the local repository lacks the plugins'
    fi
    unset MAVEN_OPTS
fi

# --- PostgreSQL ---
if has_tool psql; then
    project postgres
    bin=$(find /usr/lib/postgresql/*/bin /usr/lib/postgresql/bin /usr/bin -name initdb 2> /dev/null | sort -V | tail -n 1)
    # The server refuses to run as root; to it, this is somebody else.
    become=
    [ "$(id -u)" -ne 0 ] || become='unshare -U --map-user=1000 --map-group=1000'
    cat > work.sh << 'END'
bin=$1
"$bin/initdb" -D data -U me -A trust --no-sync > log 2>&1 &&
    "$bin/pg_ctl" -D data -w -l log -o "-c listen_addresses= -c unix_socket_directories='$PWD' -c fsync=off" start > /dev/null || {
    tail -n 20 log >&2
    exit 1
}
ask() { psql -h "$PWD" -U me -At postgres -c "$1" 2>&1; }
ask 'create table a as select generate_series(1, 1000) b'
ask 'set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; select sum(b) from a'
ask "select pg_read_file('$HOME/.ssh/id_test')"
ask "copy a to '$PWD/../outside'"
"$bin/pg_ctl" -D data -w -m fast stop > /dev/null
END
    if [ -z "$bin" ]; then
        echo 'skip postgres: the server is not installed'
    elif ! $become true 2> /dev/null; then
        echo 'skip postgres: root cannot be somebody else here'
    else
        # shellcheck disable=SC2086
        got=$(HOME=$home $become "$here/writ" run --no-policy --profile postgres -- sh work.sh "${bin%/*}" 2> "$work/err" || tail -n 20 "$work/err")
        has 'postgres: a server and a client, on a socket in the folder' '500500' "$got"
        has 'postgres: the server reads no key' 'id_test" for reading: Permission denied' "$got"
        has 'postgres: the server writes nothing outside' 'outside" for writing: Permission denied' "$got"
    fi
fi

# --- terminals and editors ---
if has_tool tmux; then
    project tmux
    cat > work.sh << 'END'
tmux -S "$TMPDIR/socket" -f /dev/null new-session -d 'tty > out; cat ~/.ssh/id_test ../outside >> out; echo done >> out; sleep 60' || exit 1
for _ in 1 2 3 4 5 6 7 8 9 10; do
    grep -q done out 2> /dev/null && break
    sleep 0.5
done
tmux -S "$TMPDIR/socket" kill-server
cat out
END
    got=$(under workspace sh work.sh)
    has 'tmux: a terminal, through a socket among the temporary files' '/dev/pts/' "$got"
    keeps 'tmux: no keys' "$got"
fi
if has_tool vim; then
    project vim
    echo 'hello' > a
    under workspace vim -es -c '%s/hello/bye/' -c 'wq' a > /dev/null
    same 'vim: edits a file' bye "$(cat a)"
    under workspace vim -es -c "r $home/.ssh/id_test" -c "r $work/outside" -c 'wq' a > /dev/null 2>&1
    keeps 'vim: does not read a key' "$(cat a)"
fi

# --- Chromium ---
if has_tool chromium; then
    project chromium
    echo '<p id=a></p><script>document.getElementById("a").textContent = "six times seven is " + 6 * 7</script>' > a.html
    browse() {
        under chromium chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --dump-dom "$1"
    }
    has 'chromium: shows a page and runs its script' 'six times seven is 42' "$(browse "file://$PWD/a.html")"
    keeps 'chromium: does not show a key' "$(browse "file://$home/.ssh/id_test")"
fi

# --- agents, where they are installed ---
for agent in 'claude claude-code' 'codex codex'; do
    command=${agent% *}
    if has_tool "$command"; then
        project "$command"
        mkdir -p "$home/.$command"
        under "${agent#* }" "$command" --version > out
        has "$command: starts" "$("$command" --version 2> /dev/null)" "$(cat out)"
    fi
done
