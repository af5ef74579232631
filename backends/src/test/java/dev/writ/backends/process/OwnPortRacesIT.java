// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.backends.process.PortScripts.freePort;
import static dev.writ.backends.process.PortScripts.python;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Somebody outside takes a port over while a session uses it, or the session itself loses it.
class OwnPortRacesIT {
    @TempDir Path temporary;
    private Confined confined;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary).allow("listen:127.0.0.1:0");
    }

    /// The session and somebody else take turns at one port, as fast as they can.
    private static final String TURNS =
            """
            port, end = int(sys.argv[1]), time.time() + 5
            reached = 0
            current = [None]
            def serve():
                while time.time() < end:
                    try: current[0] = listen(('127.0.0.1', port))
                    except OSError: continue
                    time.sleep(0.003)
                    current[0].close()
            def call():
                global reached
                while time.time() < end:
                    s = socket.socket()
                    try:
                        s.connect(('127.0.0.1', port))
                        s.send(b'x')
                        reached += 1
                    except OSError: pass
                    s.close()
            threads = [threading.Thread(target=serve)] + [threading.Thread(target=call) for _ in range(3)]
            for t in threads: t.start()
            for t in threads: t.join()
            print('reached' if reached else 'nothing')
            """;

    @Test
    void who_takes_the_port_over_meanwhile_is_not_reached() throws Exception {
        int port = freePort();
        confined.allow("listen:127.0.0.1:" + port);
        try (var other = new Other(port)) {
            var result = confined.run(python(TURNS, port));
            assertThat(result.output()).as(result.errors()).isEqualTo("reached\n");
            assertThat(other.turns.get()).isPositive();
            assertThat(other.heard.get()).isZero();

            confined.runFreely(python(TURNS, port));
            assertThat(other.heard.get()).isPositive();
        }
    }

    /// The session lets as many wait for its own port as it can, wants one more connection, and
    /// gives the port away: the kernel would knock again for minutes, whoever listens there then.
    private static final String UNFINISHED =
            """
            port, wait = int(sys.argv[1]), sys.argv[2] == 'true'
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(('127.0.0.1', port))
            s.listen(0)
            open('listens', 'w').close()
            first = reach('first', '127.0.0.1', port)
            end = time.time() + 5
            def say(c):
                while time.time() < end:
                    try: return c.send(b'x')
                    except OSError: time.sleep(0.001)
            def call(c):
                c.connect_ex(('127.0.0.1', port))
            for _ in range(4):
                c = socket.socket()
                c.setblocking(wait)
                threading.Thread(target=call, args=(c,)).start()
                time.sleep(0.05)
                threading.Thread(target=say, args=(c,)).start()
            time.sleep(0.3)
            s.shutdown(socket.SHUT_RDWR)
            s.close()
            time.sleep(4)
            os._exit(0)
            """;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void who_listens_there_later_is_not_reached(boolean wait) throws Exception {
        int port = freePort();
        confined.allow("listen:127.0.0.1:" + port);
        try (var heir = new Heir(port, confined.work.resolve("listens"))) {
            assertThat(confined.run(python(UNFINISHED, port, wait)).output())
                    .isEqualTo("first ok\n");
            assertThat(heir.inherited.get()).isPositive();
            assertThat(heir.heard.get()).isZero();
        }
        try (var heir = new Heir(port, confined.work.resolve("listens"))) {
            confined.runFreely(python(UNFINISHED, port, wait));
            assertThat(heir.heard.get()).isPositive();
        }
    }

    /// A socket that is about to be connected has a name, which it loses when that is ended: in the
    /// moment between the look at its name and the listening, if somebody is fast enough.
    private static final String NAMELESS =
            """
            static volatile int it, go;
            static volatile long delay;
            static void *ender(void *_) {
                while (1) {
                    while (!go);
                    for (volatile long i = delay; i > 0; i--);
                    shutdown(it, SHUT_RDWR);
                    go = 0;
                }
            }
            int main(int count, char **words) {
                struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1]))};
                at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                socklen_t length;
                int wins = 0, tries = 0;
                pthread_t thread;
                pthread_create(&thread, 0, ender, 0);
                long late = 50000;
                for (time_t end = time(0) + 8; time(0) < end && !wins; tries++) {
                    it = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
                    connect(it, (void *)&at, sizeof at);
                    delay = late > 2000 ? late + rand() % 4000 - 2000 : rand() % 4000;
                    go = 1;
                    int result = listen(it, 5), error = errno;
                    while (go);
                    late += result && error == EINVAL ? -300 : 300;
                    struct sockaddr_in is;
                    int listens = 0;
                    length = sizeof is;
                    getsockname(it, (void *)&is, &length);
                    length = sizeof listens;
                    getsockopt(it, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length);
                    if (listens && is.sin_addr.s_addr != at.sin_addr.s_addr) wins++;
                    close(it);
                }
                printf("%s\\n", wins ? "everywhere" : tries > 100 ? "nowhere" : "hardly tried");
            }
            """;

    @Test
    void who_loses_its_name_meanwhile_does_not_listen_everywhere() throws Exception {
        var here = InetAddress.getLoopbackAddress();
        try (var full = new ServerSocket(0, 1, here);
                var _ = new Socket(here, full.getLocalPort());
                var _ = new Socket(here, full.getLocalPort())) {
            int port = full.getLocalPort();
            confined.allow("listen:127.0.0.1:*", "net:tcp://127.0.0.1:" + port);

            assertThat(confined.run(confined.compile("nameless", NAMELESS), port).output())
                    .isEqualTo("nowhere\n");
        }
    }

    /// Somebody outside who listens at a port as soon as others give it away.
    private static final class Heir implements AutoCloseable {
        final AtomicInteger inherited = new AtomicInteger();
        final AtomicInteger heard = new AtomicInteger();
        private final int port;
        private final Path sign;
        private final Thread thread;

        /// @param sign a file that is there once the others have it
        Heir(int port, Path sign) throws IOException {
            this.port = port;
            this.sign = sign;
            Files.deleteIfExists(sign);
            this.thread = Thread.ofPlatform().daemon().start(this::run);
        }

        private void run() {
            while (!Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(1_000_000);
                try (var server = new ServerSocket()) {
                    if (Files.exists(sign)) {
                        server.setReuseAddress(true);
                        server.setSoTimeout(100);
                        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                        inherited.incrementAndGet();
                        serve(server);
                    }
                } catch (IOException e) {
                    // the others have it
                }
            }
        }

        private void serve(ServerSocket server) {
            while (!Thread.currentThread().isInterrupted()) {
                try (var socket = server.accept()) {
                    socket.setSoTimeout(1000);
                    if (socket.getInputStream().read() >= 0) {
                        heard.incrementAndGet();
                    }
                } catch (IOException e) {
                    // nobody came, or nobody spoke
                }
            }
        }

        @Override
        public void close() {
            thread.interrupt();
            while (thread.isAlive()) {
                LockSupport.parkNanos(1_000_000); // until the port is free
            }
        }
    }

    /// Somebody outside who listens at a port now and then, and counts what it hears.
    private static final class Other implements AutoCloseable {
        final AtomicInteger turns = new AtomicInteger();
        final AtomicInteger heard = new AtomicInteger();
        private final int port;
        private final Thread thread;

        Other(int port) {
            this.port = port;
            this.thread = Thread.ofPlatform().daemon().start(this::run);
        }

        private void run() {
            while (!Thread.currentThread().isInterrupted()) {
                try (var server = new ServerSocket()) {
                    server.setReuseAddress(true);
                    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                    turns.incrementAndGet();
                    server.setSoTimeout(1);
                    serve(server);
                } catch (IOException e) {
                    // the others have it
                }
                LockSupport.parkNanos(turns.get() % 4 * 1_000_000L);
            }
        }

        private void serve(ServerSocket server) throws IOException {
            try (var socket = server.accept()) {
                socket.setSoTimeout(20);
                if (socket.getInputStream().read() >= 0) {
                    heard.incrementAndGet();
                }
            } catch (SocketTimeoutException e) {
                // nobody came
            }
        }

        @Override
        public void close() {
            thread.interrupt();
        }
    }
}
