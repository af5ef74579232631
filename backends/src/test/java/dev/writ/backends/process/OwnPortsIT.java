// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.backends.process.PortScripts.freePort;
import static dev.writ.backends.process.PortScripts.python;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Who may listen on a port is reached there by the rest of its session, and nobody else is.
class OwnPortsIT {
    @TempDir Path temporary;
    private Confined confined;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary).allow("listen:127.0.0.1:0");
    }

    private static final String OWN =
            """
            s = listen()
            port = s.getsockname()[1]
            pid = os.fork()
            if not pid:
                for _ in range(3):
                    c, who = s.accept()
                    c.sendall(who[0].encode())
                    c.close()
                os._exit(0)
            for host, family, wait in (('127.0.0.1', 2, True), ('127.0.0.1', 2, False), ('0.0.0.0', 2, True)):
                c = reach(host, host, port, family, wait)
                print(c.recv(99).decode(), c.getpeername() == ('127.0.0.1', port))
            os.waitpid(pid, 0)
            reach('elsewhere', '127.0.0.2', port)
            reach('sixth', '::1', port, socket.AF_INET6)
            s.close()
            reach('closed', '127.0.0.1', port)
            reach('other', '127.0.0.1', int(sys.argv[1]))
            """;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_session_reaches_its_own_port_and_no_other(boolean wayOut) throws Exception {
        try (var proxy = new TestProxy();
                var other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            if (wayOut) {
                confined.through(proxy);
            }
            var result = confined.run(python(OWN, other.getLocalPort()));

            assertThat(result.output())
                    .as(result.errors())
                    .isEqualTo(
                            """
                            127.0.0.1 ok
                            127.0.0.1 True
                            127.0.0.1 ok
                            127.0.0.1 True
                            0.0.0.0 ok
                            127.0.0.1 True
                            elsewhere ECONNREFUSED
                            sixth ECONNREFUSED
                            closed ECONNREFUSED
                            other EACCES
                            """);
            assertThat(confined.log.events().toString())
                    .as("what happens within a session is not written down")
                    .containsOnlyOnce("Connect[");
            assertThat(confined.runFreely(python(OWN, other.getLocalPort())).output())
                    .contains("closed ECONNREFUSED", "other ok");
        }
    }

    @Test
    void a_port_stays_its_own_when_others_of_the_session_take_it_over() throws Exception {
        var source =
                """
                s = listen()
                port = s.getsockname()[1]
                if not os.fork():
                    s2 = os.dup2(s.fileno(), 77)
                    s.close()
                    time.sleep(20)
                    os._exit(0)
                s.close()
                time.sleep(0.3)
                reach('taken over', '127.0.0.1', port)
                reach('again', '127.0.0.1', port)
                os._exit(0)
                """;

        assertThat(confined.run(python(source)).output()).isEqualTo("taken over ok\nagain ok\n");
    }

    /// To find a free port, and tell somebody else to listen there.
    @Test
    void a_port_that_was_picked_for_the_session_can_be_listened_on_later() throws Exception {
        var source =
                """
                def attempt(name, at):
                    try:
                        listen(at).close()
                        print(name, 'ok', flush=True)
                    except OSError as e: print(name, errno.errorcode[e.errno], flush=True)
                s = socket.socket()
                s.bind(('127.0.0.1', 0))
                port = s.getsockname()[1]
                s.close()
                reach('not yet', '127.0.0.1', port)
                if not os.fork():
                    attempt('by number', ('127.0.0.1', port))
                    attempt('everywhere', ('0.0.0.0', port))
                    attempt('elsewhere', ('127.0.0.2', port))
                    attempt('next', ('127.0.0.1', port + 1))
                    attempt('other', ('127.0.0.1', int(sys.argv[1])))
                    os._exit(0)
                os.wait()
                """;
        int other;
        try (var free = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            other = free.getLocalPort();
        }

        assertThat(confined.run(python(source, other)).output())
                .isEqualTo(
                        """
                        not yet ECONNREFUSED
                        by number ok
                        everywhere ok
                        elsewhere EACCES
                        next EACCES
                        other EACCES
                        """);
        assertThat(confined.runFreely(python(source, other)).output()).contains("other ok");
        confined.deny("listen:127.0.0.1:*");
        assertThat(confined.run(python(source, other)).output()).doesNotContain("ok");
    }

    @Test
    void both_families_are_reached_by_who_listens_on_both() throws Exception {
        var source =
                """
                s = socket.create_server(('', 0), family=socket.AF_INET6, dualstack_ipv6=True)
                port = s.getsockname()[1]
                reach('four', '127.0.0.1', port)
                reach('six', '::1', port, socket.AF_INET6)
                reach('mapped', '::ffff:127.0.0.1', port, socket.AF_INET6)
                only = socket.create_server(('::', 0), family=socket.AF_INET6)
                port = only.getsockname()[1]
                reach('four of six', '127.0.0.1', port)
                reach('six of six', '::', port, socket.AF_INET6)
                """;

        var result = confined.allow("listen:*:0").run(python(source));
        assertThat(result.output())
                .as(result.errors())
                .isEqualTo(
                        """
                        four ok
                        six ok
                        mapped ok
                        four of six ECONNREFUSED
                        six of six ok
                        """);
    }

    /// Servers of tests listen everywhere unless they are told otherwise.
    @Test
    void who_wants_to_listen_everywhere_listens_on_this_machine() throws Exception {
        var source =
                """
                def server(name, *at, **options):
                    try:
                        s = socket.create_server(at, **options)
                        print(name, s.getsockname()[0])
                        reach(name, '127.0.0.1', s.getsockname()[1])
                        s.close()
                    except OSError as e: print(name, errno.errorcode[e.errno], flush=True)
                server('four', '', 0)
                server('both', '::', 0, family=socket.AF_INET6, dualstack_ipv6=True)
                server('six', '::', 0, family=socket.AF_INET6)
                server('numbered', '0.0.0.0', int(sys.argv[1]))
                """;
        int port = freePort();

        var result = confined.run(python(source, port));
        assertThat(result.output())
                .as(result.errors())
                .isEqualTo(
                        """
                        four 127.0.0.1
                        four ok
                        both ::ffff:127.0.0.1
                        both ok
                        six EACCES
                        numbered EACCES
                        """);
        confined.allow("listen:localhost:0", "listen:localhost:" + port);
        assertThat(confined.run(python(source, port)).output())
                .contains("six ::1\nsix ECONNREFUSED\n", "numbered 127.0.0.1\nnumbered ok\n");
        assertThat(confined.allow("listen:*:0").run(python(source, port)).output())
                .contains("four 0.0.0.0\n", "both ::\n");
    }

    @Test
    void a_port_that_is_shared_with_others_is_not_its_own() throws Exception {
        var source =
                """
                port = int(sys.argv[1])
                s = listen(('127.0.0.1', port), share=True)
                for i in range(20): reach('shared', '127.0.0.1', port)
                """;

        try (var channel = ServerSocketChannel.open(StandardProtocolFamily.INET);
                var other = channel.socket()) {
            channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = other.getLocalPort();
            confined.allow("listen:127.0.0.1:" + port);

            assertThat(confined.run(python(source, port)).output())
                    .isEqualTo("shared EACCES\n".repeat(20));
            confined.runFreely(python(source, port));
            other.setSoTimeout(5000);
            assertThat(other.accept().isConnected()).as("it would have got some").isTrue();
        }
    }

    @Test
    void a_rule_about_the_address_counts_more() throws Exception {
        var source =
                """
                reach('denied', '127.0.0.1', listen().getsockname()[1])
                """;

        assertThat(confined.deny("net:tcp://127.0.0.1:*").run(python(source)).output())
                .isEqualTo("denied EACCES\n");
    }

    @Test
    void where_it_may_listen_and_nobody_does_it_hears_so() throws Exception {
        var source = "reach('soon', '127.0.0.1', int(sys.argv[1]))\n";
        int port;
        try (var other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            port = other.getLocalPort();
            confined.allow("listen:127.0.0.1:" + port);

            assertThat(confined.run(python(source, port)).output()).isEqualTo("soon EACCES\n");
        }
        assertThat(confined.run(python(source, port)).output()).isEqualTo("soon ECONNREFUSED\n");
        assertThat(confined.log.events().toString()).doesNotContain("Connect[");
    }

    @Test
    void who_accepts_late_is_waited_for_by_who_waits() throws Exception {
        var source =
                """
                s = socket.socket()
                s.bind(('127.0.0.1', 0))
                s.listen(0)
                port = s.getsockname()[1]
                first = reach('first', '127.0.0.1', port)
                def accept():
                    time.sleep(0.5)
                    for _ in range(3): s.accept()
                threading.Thread(target=accept, daemon=True).start()
                second = reach('second', '127.0.0.1', port)
                second.send(b'x')
                third = socket.socket()
                third.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, bytes([9] + [0] * 15))
                third.connect(('127.0.0.1', port))
                print(third.getsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, 16)[0])
                """;

        var result = confined.run(python(source));
        assertThat(result.output()).as(result.errors()).isEqualTo("first ok\nsecond ok\n9\n");
    }

    @Test
    void who_does_not_wait_hears_that_too_many_do() throws Exception {
        var source =
                """
                s = socket.socket()
                s.bind(('127.0.0.1', 0))
                s.listen(0)
                port = s.getsockname()[1]
                first = reach('first', '127.0.0.1', port)
                second = socket.socket()
                second.setblocking(False)
                print(errno.errorcode[second.connect_ex(('127.0.0.1', port))])
                s.accept()
                print(errno.errorcode[second.connect_ex(('127.0.0.1', port))])
                second.setblocking(True)
                second.send(b'x')
                print(s.accept()[0].recv(9))
                """;

        var result = confined.run(python(source));
        assertThat(result.output())
                .as(result.errors())
                .isEqualTo("first ok\nECONNREFUSED\nEINPROGRESS\nb'x'\n");
    }
}
