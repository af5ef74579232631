# SPDX-License-Identifier: Apache-2.0
# Real clients of real servers through the way out of a session. The clients know nothing of a proxy; the servers are on
# loopback, under names that only `--resolve` knows.
. "$(dirname -- "$0")/words"
writ=$here/writ
PATH=/usr/bin:/bin:$PATH # before what an installation of the user's puts there
home=$work/home
mkdir -p "$home" "$work/web" "$work/client"
pids=
trap 'for pid in $pids; do kill "$pid" 2> /dev/null; done; rm -rf "$work"' EXIT

for tool in python3 curl nginx openssl; do
    command -v "$tool" > /dev/null || { echo "skip egress: $tool is not installed"; exit 0; }
done

# ports NUMBER: that many free ones
ports() {
    python3 -c 'import socket, sys
s = [socket.socket() for _ in range(int(sys.argv[1]))]
[x.bind(("127.0.0.1", 0)) for x in s]
print(*[x.getsockname()[1] for x in s])' "$1"
}
# shellcheck disable=SC2046
set -- $(ports 6)
web=$1 tls=$2 chat=$3 db=$4 shell=$5 rpc=$6

# until_open PORT: waits for a server
until_open() {
    python3 -c 'import socket, sys, time
for _ in range(200):
    try: socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close(); break
    except OSError: time.sleep(.1)' "$1"
}

# out RULE COMMAND...: its output, under one rule about the network; MORE has other flags
out() {
    rule=$1
    shift
    # shellcheck disable=SC2086
    (cd "$work/client" && HOME=$home "$writ" run --no-policy --profile workspace --resolve web.test=127.0.0.1 --allow "$rule" ${more-} -- "$@" \
        < /dev/null 2> "$work/err") || { echo "ended with $?"; tail -n 20 "$work/err" >&2; }
}

# The same, where the operator trusts the authority of these tests.
trusting() {
    SSL_CERT_FILE=$work/client/ca.pem
    export SSL_CERT_FILE
    out "$@"
}

# --- a web server ---
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=web.test -addext subjectAltName=DNS:web.test \
    -keyout "$work/key.pem" -out "$work/client/ca.pem" 2> /dev/null
cat > "$work/nginx.conf" << END
daemon off; pid $work/nginx.pid; error_log $work/nginx.err; worker_processes 1;
events { worker_connections 1024; }
http {
    access_log off; default_type application/octet-stream; types { application/json json; text/html html; }
    client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3; uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;
    server { listen 127.0.0.1:$web; root $work/web; index index.json index.html; absolute_redirect off; }
    server { listen 127.0.0.1:$tls ssl; ssl_certificate $work/client/ca.pem; ssl_certificate_key $work/key.pem; root $work/web; }
}
END
[ "$(id -u)" -ne 0 ] || { sed -i '1i user root;' "$work/nginx.conf"; }
nginx -c "$work/nginx.conf" -e "$work/nginx.err" 2> /dev/null &
pids="$pids $!"
until_open "$web"
echo fine > "$work/web/small"
mkdir -p "$work/web/private"
echo CANARY > "$work/web/private/file"

has 'curl: a page over http' fine "$(out "net:GET=http://web.test:$web/**" curl -s "http://web.test:$web/small")"
more="--deny net:GET=http://web.test:$web/private/**"
has 'curl: a denied path says so' '"error":"denied"' "$(out "net:GET=http://web.test:$web/**" curl -s "http://web.test:$web/private/file")"
more=
more="--json $work/events"
out "net:GET=http://web.test:$web/**" curl -s "http://web.test:$web/small" > /dev/null
has 'where the operator lets names lead is recorded' '"web.test=127.0.0.1"' "$(grep '"opened"' "$work/events")"
more=
has 'curl: another method says so' '"error":"denied"' "$(out "net:GET=http://web.test:$web/**" curl -s -X DELETE "http://web.test:$web/small")"
has 'curl: another port is refused' 'ended with 7' "$(out "net:GET=http://web.test:$web/**" curl -s "http://web.test:$tls/small" 2> /dev/null)"
has 'curl: another name is none' 'ended with 6' "$(out "net:GET=http://web.test:$web/**" curl -s "http://other.test:$web/small" 2> /dev/null)"
has 'curl: a page over https' fine "$(out "net:allow=https://web.test:$tls" curl -s --cacert ca.pem "https://web.test:$tls/small")"
has 'curl: https for another name is refused' 'ended with 35' \
    "$(out "net:allow=https://web.test:$tls" curl -s --cacert ca.pem --connect-to "other.test:$tls:web.test:$tls" "https://other.test:$tls/small" 2> /dev/null)"

# --- much, and many ---
truncate -s 2G "$work/web/big"
head -c 1048576 /dev/urandom >> "$work/web/big"
wanted="2148532224 $(tail -c 1048576 "$work/web/big" | sha256sum)"
has '2 GB arrive whole' "$wanted" \
    "$(out "net:GET=http://web.test:$web/**" sh -c "curl -s -w '%{stderr}%{size_download} ' http://web.test:$web/big 2> size | tail -c 1048576 | sha256sum > sum; cat size sum")"
rm "$work/web/big"
cat > "$work/client/many.py" << 'END'
import socket, sys, threading
port, count = int(sys.argv[1]), 200
barrier, good = threading.Barrier(count), []
def one():
    try:
        s = socket.create_connection(("web.test", port), 60)
        barrier.wait(60)  # all are connected at the same time
        s.sendall(b"GET /small HTTP/1.1\r\nHost: web.test:%d\r\nConnection: close\r\n\r\n" % port)
        s.settimeout(60)
        data = b""
        while part := s.recv(4096):
            data += part
        if data.endswith(b"fine\n"):
            good.append(1)
    except Exception as failure:
        print(repr(failure))
threads = [threading.Thread(target=one) for _ in range(count)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(good), "of", count)
END
has '200 connections at once' '200 of 200' "$(out "net:GET=http://web.test:$web/**" python3 many.py "$web")"

# --- git, dumb and plain ---
if command -v git > /dev/null; then
    (
        cd "$work" && git init -q source && cd source && echo content > file && git add file &&
            git -c user.name=t -c user.email=t@example.com commit -qm one && git clone -q --bare . "$work/web/repo.git" &&
            cd "$work/web/repo.git" && git update-server-info
    )
    got=$(out "net:GET=http://web.test:$web/repo.git/**" sh -c "cd \$TMPDIR && git clone -q http://web.test:$web/repo.git clone && cat clone/file")
    has 'git: clone over http' content "$got"
else
    echo 'skip git: it is not installed'
fi

# --- a registry for pip, and one for npm ---
if python3 -m pip --version > /dev/null 2>&1; then
    mkdir -p "$work/web/simple/tiny"
    python3 - "$work/web/simple/tiny" << 'END'
import sys, zipfile
name = sys.argv[1] + "/tiny-1.0-py3-none-any.whl"
with zipfile.ZipFile(name, "w") as wheel:
    wheel.writestr("tiny.py", "print('tiny here')\n")
    wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("tiny-1.0.dist-info/RECORD", "tiny.py,,\ntiny-1.0.dist-info/METADATA,,\ntiny-1.0.dist-info/WHEEL,,\ntiny-1.0.dist-info/RECORD,,\n")
open(sys.argv[1] + "/index.html", "w").write('<a href="tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>')
END
    got=$(out "net:GET=http://web.test:$web/simple/**" sh -c \
        "python3 -m pip install -q --disable-pip-version-check --no-cache-dir --target lib --index-url http://web.test:$web/simple --trusted-host web.test tiny && PYTHONPATH=lib python3 -c 'import tiny'")
    has 'pip: install from a registry' 'tiny here' "$got"
else
    echo 'skip pip: it is not installed'
fi
if command -v npm > /dev/null; then
    mkdir -p "$work/package"
    echo 'console.log(require("./package.json").name, "here")' > "$work/package/index.js"
    for name in tiny @own/tiny; do
        mkdir -p "$work/web/npm/$name"
        echo "{\"name\":\"$name\",\"version\":\"1.0.0\",\"main\":\"index.js\"}" > "$work/package/package.json"
        tar -C "$work" -czf "$work/web/npm/$name/1.tgz" package
        printf '{"name":"%s","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"%s","version":"1.0.0","dist":{"tarball":"http://web.test:%s/npm/%s/1.tgz"}}}}' \
            "$name" "$name" "$web" "$name" > "$work/web/npm/$name/index.json"
    done
    got=$(more='--profile node' out "net:GET=http://web.test:$web/npm/**" sh -c \
        "npm install --silent --no-audit --no-fund --no-update-notifier --fetch-retries 0 --registry http://web.test:$web/npm tiny @own/tiny 2>&1; node -e 'require(\"tiny\"); require(\"@own/tiny\")'")
    has 'npm: install from a registry' '@own/tiny here' "$got"
else
    echo 'skip npm: it is not installed'
fi

# Maven gets everything through the way out, its own plugins too: the registry has what the build of Writ has fetched, and one more.
if command -v mvn > /dev/null && command -v javac > /dev/null && [ -d ~/.m2/repository/org/apache/maven/plugins ]; then
    version() { sed -n "/<artifactId>$1</{n;s/.*<version>\(.*\)<.*/\1/p;}" "$here/pom.xml" | head -n 1; }
    plugin() { echo "<plugin><artifactId>$1</artifactId><version>$(version "$1")</version></plugin>"; }
    registry=$work/web/maven tiny=$work/web/maven/t/tiny/1.0
    mkdir -p "$tiny" "$work/jar" "$work/client/src"
    ln -s ~/.m2/repository/* "$registry/" 2> /dev/null
    echo 'package tiny; public class Tiny { public static String hello() { return "tiny here"; } }' > "$work/Tiny.java"
    javac --release 17 -d "$work/jar" "$work/Tiny.java" && jar cf "$tiny/tiny-1.0.jar" -C "$work/jar" .
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>tiny</artifactId><version>1.0</version></project>' > "$tiny/tiny-1.0.pom"
    cat > "$work/client/pom.xml" << END
<project>
  <modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>t</artifactId><version>1</version>
  <properties><maven.compiler.release>17</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies><dependency><groupId>t</groupId><artifactId>tiny</artifactId><version>1.0</version></dependency></dependencies>
  <build><sourceDirectory>src</sourceDirectory><plugins>$(plugin maven-resources-plugin) $(plugin maven-compiler-plugin)</plugins></build>
</project>
END
    echo 'class A { public static void main(String[] words) { System.out.println(tiny.Tiny.hello()); } }' > "$work/client/src/A.java"
    # settings HOST: everything comes from there
    settings() {
        echo "<settings><mirrors><mirror><id>web</id><mirrorOf>*</mirrorOf><url>http://$1:$web/maven</url></mirror></mirrors></settings>" > "$work/client/settings.xml"
    }
    build='mvn -q -B -gs settings.xml -s settings.xml -Dmaven.repo.local=repository compile 2>&1 | grep ERROR | head -n 3; java -cp target/classes:repository/t/tiny/1.0/tiny-1.0.jar A'
    settings 127.0.0.1
    if (cd "$work/client" && sh -c "$build") 2> /dev/null | grep -q 'tiny here'; then
        settings web.test
        rm -rf "$work/client/repository" "$work/client/target"
        more="--profile java --deny net:GET=http://web.test:$web/maven/t/**"
        has 'mvn: what a rule denies is not installed' 'Could not' "$(out "net:GET=http://web.test:$web/maven/**" sh -c "$build" 2> /dev/null)"
        rm -rf "$work/client/repository" "$work/client/target"
        more='--profile java'
        has 'mvn: install from a registry' 'tiny here' "$(out "net:GET=http://web.test:$web/maven/**" sh -c "$build")"
        more=
    else
        echo 'skip mvn: the local repository lacks the plugins'
    fi
else
    echo 'skip mvn: it is not installed, or has no local repository'
fi

# --- a WebSocket ---
cat > "$work/chat.py" << 'END'
import base64, hashlib, socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    s, _ = server.accept()
    f = s.makefile("rb")
    key = b""
    while (line := f.readline().strip()):
        if line.lower().startswith(b"sec-websocket-key:"):
            key = line.split(b":", 1)[1].strip()
    if key:
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        s.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        head = f.read(2)
        mask = f.read(4)
        text = bytes(b ^ mask[i % 4] for i, b in enumerate(f.read(head[1] & 127)))
        s.sendall(b"\x81" + bytes([len(text) + 5]) + b"back " + text)
    s.close()
END
cat > "$work/client/chat.py" << 'END'
import base64, os, socket, sys
s = socket.create_connection(("web.test", int(sys.argv[1])), 20)
s.sendall(b"GET /chat HTTP/1.1\r\nHost: web.test:%s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n"
          % (sys.argv[1].encode(), base64.b64encode(os.urandom(16))))
f = s.makefile("rb")
print(f.readline().decode().strip())
while f.readline().strip():
    pass
s.sendall(b"\x81\x85\0\0\0\0hello")
head = f.read(2)
print(f.read(head[1]).decode() if len(head) == 2 else "closed")
END
python3 "$work/chat.py" "$chat" &
pids="$pids $!"
until_open "$chat"
has 'a WebSocket, where a rule names it' 'back hello' "$(out "net:ws://web.test:$chat/chat" python3 chat.py "$chat")"
has 'a WebSocket is no GET' '403' "$(out "net:GET=http://web.test:$chat/chat" python3 chat.py "$chat" 2> /dev/null)"

# --- gRPC: one answer, a stream in both directions, an error in a trailer ---
if python3 -c 'import grpc' 2> /dev/null; then
    cat > "$work/rpc.py" << 'END'
import sys, grpc
from concurrent import futures
class Echo(grpc.GenericRpcHandler):
    def service(self, call):
        if call.method == "/echo.Echo/One":
            return grpc.unary_unary_rpc_method_handler(lambda text, _: b"one " + text)
        if call.method == "/echo.Echo/Many":
            return grpc.stream_stream_rpc_method_handler(lambda texts, _: (b"many " + text for text in texts))
        if call.method == "/echo.Echo/Fail":
            return grpc.unary_unary_rpc_method_handler(lambda _, c: c.abort(grpc.StatusCode.DATA_LOSS, "lost"))
server = grpc.server(futures.ThreadPoolExecutor(4), handlers=[Echo()])
key, chain = open(sys.argv[2], "rb").read(), open(sys.argv[3], "rb").read()
server.add_secure_port("127.0.0.1:" + sys.argv[1], grpc.ssl_server_credentials([(key, chain)]))
server.start()
server.wait_for_termination()
END
    cat > "$work/client/rpc.py" << 'END'
import sys, grpc
roots = open(sys.argv[2], "rb").read() if len(sys.argv) > 2 else None
channel = grpc.secure_channel("web.test:" + sys.argv[1], grpc.ssl_channel_credentials(roots))
print(channel.unary_unary("/echo.Echo/One")(b"hello", timeout=20).decode())
print(b",".join(channel.stream_stream("/echo.Echo/Many")(iter([b"a", b"b", b"c"]), timeout=20)).decode())
for method in "Fail", "Other":
    try: channel.unary_unary("/echo.Echo/" + method)(b"x", timeout=20)
    except grpc.RpcError as e: print(e.code().name)
END
    python3 "$work/rpc.py" "$rpc" "$work/key.pem" "$work/client/ca.pem" &
    pids="$pids $!"
    until_open "$rpc"
    all='one hello
many a,many b,many c
DATA_LOSS
UNIMPLEMENTED'
    has 'gRPC through TLS that is not looked into' "$all" "$(out "net:allow=https://web.test:$rpc" python3 rpc.py "$rpc" ca.pem)"
    has 'gRPC that is looked into' "$all" \
        "$(trusting "net:POST=https://web.test:$rpc/echo.Echo/**" python3 rpc.py "$rpc")"
    has 'gRPC: a method that no rule names is refused' 'PERMISSION_DENIED' \
        "$(trusting "net:POST=https://web.test:$rpc/echo.Echo/One" python3 rpc.py "$rpc" 2>&1)"
else
    echo 'skip gRPC: grpcio is not installed'
fi

# --- datagrams ---
cat > "$work/echo.py" << 'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", int(sys.argv[1])))
while True:
    text, who = s.recvfrom(65536)
    s.sendto(b"back " + text, who)
END
cat > "$work/client/datagram.py" << 'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(20)
s.sendto(b"hello", ("web.test", int(sys.argv[1])))
print(s.recvfrom(100)[0].decode())
END
python3 "$work/echo.py" "$chat" &
pids="$pids $!"
has 'a datagram and its answer, where a rule names them' 'back hello' "$(out "net:udp://web.test:$chat" python3 datagram.py "$chat")"
has 'a datagram is no connection' 'ended with 1' "$(out "net:web.test:$chat" python3 datagram.py "$chat" 2> /dev/null)"

# --- PostgreSQL over TCP ---
bin=$(find /usr/lib/postgresql/*/bin /usr/bin -name initdb 2> /dev/null | sort -V | tail -n 1)
if ! command -v psql > /dev/null || [ -z "$bin" ]; then
    echo 'skip postgres: it is not installed'
else
    become=
    [ "$(id -u)" -ne 0 ] || become='setpriv --reuid=65534 --regid=65534 --clear-groups'
    mkdir "$work/db" && chmod a+x "$work" && { [ -z "$become" ] || chown 65534:65534 "$work/db"; }
    $become "${bin%/*}/initdb" -A trust -U me -D "$work/db/data" > /dev/null 2>&1
    $become "${bin%/*}/postgres" -D "$work/db/data" -c listen_addresses=127.0.0.1 -c port="$db" -c unix_socket_directories= > "$work/db.err" 2>&1 &
    pids="$pids $!"
    until_open "$db"
    has 'psql: a query over TCP' 500500 \
        "$(out "net:web.test:$db" psql -h web.test -p "$db" -U me -At postgres -c 'select sum(i) from generate_series(1, 1000) i')"
    has 'psql: another port is refused' 'ended with 2' "$(out "net:web.test:$web" psql -h web.test -p "$db" -U me -At postgres -c 'select 1' 2> /dev/null)"
fi

# --- ssh ---
if [ -x /usr/sbin/sshd ] && command -v ssh > /dev/null; then
    ssh-keygen -q -t ed25519 -N '' -f "$work/hostkey"
    ssh-keygen -q -t ed25519 -N '' -f "$work/client/key"
    cp "$work/client/key.pub" "$work/authorized"
    [ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
    /usr/sbin/sshd -D -p "$shell" -o ListenAddress=127.0.0.1 -h "$work/hostkey" -o "AuthorizedKeysFile=$work/authorized" -o StrictModes=no \
        -o UsePAM=no -o PidFile=none -f /dev/null 2> /dev/null &
    pids="$pids $!"
    until_open "$shell"
    has 'ssh: a command on a server' 'over there' "$(out "net:web.test:$shell" ssh -F /dev/null -p "$shell" -i key -o StrictHostKeyChecking=no \
        -o UserKnownHostsFile=known -o IdentitiesOnly=yes "$(id -un)@web.test" echo over there)"
else
    echo 'skip ssh: the server is not installed'
fi
