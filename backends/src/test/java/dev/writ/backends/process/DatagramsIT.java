// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.broker.Approver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Datagrams go where a rule for UDP leads, and come back from there.
class DatagramsIT {
    private static final String CLIENT =
            """
            import socket, sys
            def new(family=socket.AF_INET):
                s = socket.socket(family, socket.SOCK_DGRAM)
                s.settimeout(5)
                return s
            def tell(what):
                try: print(what())
                except OSError as e: print(type(e).__name__, e.errno)
            """;

    @TempDir Path temporary;
    private Confined confined;
    private TestProxy proxy;
    private Echo echo;

    @BeforeEach
    void given() throws Exception {
        proxy = new TestProxy();
        proxy.standsFor("a.test"); // 198.18.0.1
        proxy.standsFor("b.test"); // 198.18.0.2
        proxy.standsFor("web.test"); // 198.18.0.3
        echo = new Echo(bytes -> bytes);
        proxy.correspondent = echo.address();
        confined = Confined.judged(temporary).through(proxy);
        confined.allow(
                "net:udp://a.test:7",
                "net:udp://b.test:7",
                "net:https://web.test",
                "net:udp://192.0.2.53:53");
    }

    @AfterEach
    void close() {
        proxy.close();
        echo.close();
    }

    private static String program(String path) {
        assumeTrue(Files.isExecutable(Path.of(path)), "needs " + path);
        return path;
    }

    private String python(String source) throws Exception {
        var result = confined.run(program("/usr/bin/python3"), "-c", CLIENT + source);
        assertThat(result.errors()).isEmpty();
        return result.output();
    }

    private List<String> judged(boolean permitted) {
        return confined.log.events().stream()
                .filter(AuditEvent.Judged.class::isInstance)
                .map(AuditEvent.Judged.class::cast)
                .filter(event -> event.permitted() == permitted)
                .map(event -> event.action().toString())
                .filter(action -> action.contains("UDP"))
                .toList();
    }

    @Test
    void answers_come_from_whom_the_program_has_asked() throws Exception {
        assertThat(
                        python(
                                """
                                s = new()
                                s.sendto(b'one', ('a.test', 7))
                                print(s.recvfrom(100))
                                s.sendto(b'two', ('198.18.0.2', 7))
                                print(s.recvfrom(100))
                                s.sendto(b'three', ('a.test', 7))
                                print(s.recvmsg(100))
                                s.sendmsg([b'fo', b'ur'], [], 0, ('b.test', 7))
                                print(s.recvmsg(100))
                                s.sendto(b'plain', ('a.test', 7))
                                print(s.recv(100))
                                s.sendto(b'after it', ('b.test', 7))
                                print(s.recvfrom(100))
                                s.sendto(b'cut short', ('b.test', 7))
                                print(s.recvmsg(3))
                                """))
                .isEqualTo(
                        """
                        (b'one', ('198.18.0.1', 7))
                        (b'two', ('198.18.0.2', 7))
                        (b'three', [], 0, ('198.18.0.1', 7))
                        (b'four', [], 0, ('198.18.0.2', 7))
                        b'plain'
                        (b'after it', ('198.18.0.2', 7))
                        (b'cut', [], 32, ('198.18.0.2', 7))
                        """);
        assertThat(judged(true)).as("once for each destination").hasSize(2);
        assertThat(proxy.corresponded)
                .containsExactlyInAnyOrder("a.test:7 13 13", "b.test:7 24 24");
    }

    @Test
    void a_connected_socket_sends_at_the_speed_of_the_kernel() throws Exception {
        assertThat(
                        python(
                                """
                                s = new()
                                s.connect(('a.test', 7))
                                for i in range(20):
                                    s.send(b'x' * (i * 3000 + 1))
                                    assert s.recv(65536) == b'x' * (i * 3000 + 1)
                                s.send(b'hello')
                                print(s.recvfrom(100), s.getpeername())
                                s.send(b'hello')
                                print(s.recvmsg(100))
                                s = new(socket.AF_INET6)
                                s.connect(('::ffff:198.18.0.1', 7))
                                s.send(b'six')
                                print(s.recvfrom(100))
                                """))
                .isEqualTo(
                        """
                        (b'hello', ('198.18.0.1', 7)) ('198.18.0.1', 7)
                        (b'hello', [], 0, ('198.18.0.1', 7))
                        (b'six', ('::ffff:198.18.0.1', 7, 0, 0))
                        """);
        assertThat(judged(true)).as("once for each socket").hasSize(2);
    }

    @Test
    void what_no_rule_for_udp_leads_to_is_refused_and_written_down() throws Exception {
        assertThat(
                        python(
                                """
                                tell(lambda: new().sendto(b'quic', ('web.test', 443)))
                                tell(lambda: new().sendto(b'x', ('a.test', 8)))
                                tell(lambda: new().sendmsg([b'x'], [], 0, ('a.test', 9)))
                                tell(lambda: new().sendto(b'x', ('127.0.0.1', %d)))
                                s = new(); s.connect(('a.test', 10)); s.send(b'x')
                                tell(lambda: s.recv(10))
                                s = new(); s.connect(('a.test', 11))
                                """
                                        .formatted(echo.address().getPort())))
                .startsWith(
                        """
                        PermissionError 13
                        PermissionError 13
                        PermissionError 13
                        PermissionError 13
                        """);
        assertThat(judged(false)).hasSize(5).noneMatch(action -> action.contains("port=11]"));
        assertThat(echo.came).isEmpty();
    }

    @Test
    void who_is_asked_decides_and_only_once() throws Exception {
        confined.ask("net:udp://ask.test:7");
        assertThat(
                        python(
                                """
                                s = new()
                                s.sendto(b'asked', ('ask.test', 7)); print(s.recvfrom(100)[0])
                                s.sendto(b'again', ('ask.test', 7)); print(s.recvfrom(100)[0])
                                s = new()
                                s.connect(('ask.test', 7)); s.send(b'other'); print(s.recv(100))
                                """))
                .isEqualTo("b'asked'\nb'again'\nb'other'\n");
        confined.ask(Approver.nobody(), "net:udp://ask.test:8");
        assertThat(python("tell(lambda: new().sendto(b'x', ('ask.test', 8)))"))
                .isEqualTo("PermissionError 13\n");
    }

    @Test
    void nothing_passes_beyond_the_bytes_of_the_session_or_to_whom_nobody_leads() throws Exception {
        assertThat(
                        python(
                                """
                                s = new()
                                s.settimeout(0.2)
                                sent = 0
                                try:
                                    for i in range(100):
                                        s.sendto(b'x' * 50000, ('a.test', 7))
                                        sent += 50000
                                        try: s.recv(65536)
                                        except TimeoutError: pass
                                except PermissionError: print(sent)
                                """))
                .isEqualTo("1000000\n");
        proxy.correspondent = null;
        assertThat(python("tell(lambda: new().sendto(b'x', ('a.test', 7)))"))
                .isEqualTo("OSError 113\n");
    }

    @Test
    void a_timeout_of_the_socket_holds() throws Exception {
        proxy.correspondent = null;
        var probe =
                confined.compile(
                        "patience",
                        """
                        int main() {
                            struct sockaddr_in a = {AF_INET, htons(53)}, from;
                            inet_pton(AF_INET, "198.51.100.53", &a.sin_addr);
                            int s = socket(AF_INET, SOCK_DGRAM, 0);
                            struct timeval t = {0, 100000};
                            setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
                            socklen_t size = sizeof from;
                            char text[10];
                            say("recvfrom", recvfrom(s, text, 10, 0, (void *) &from, &size));
                            struct iovec v = {text, 10};
                            struct msghdr m = {&from, sizeof from, &v, 1};
                            struct mmsghdr some = {m};
                            say("recvmsg", recvmsg(s, &m, 0));
                            say("recvmmsg", recvmmsg(s, &some, 1, 0, 0));
                            say("errors", recvmsg(s, &m, MSG_ERRQUEUE));
                            m.msg_iovlen = 5000;
                            say("pieces", recvmsg(s, &m, 0));
                            m.msg_iov = (void *) 8;
                            m.msg_iovlen = 1;
                            say("no memory", recvmsg(s, &m, 0));
                            say("nor there", sendmsg(s, (void *) 8, 0));
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        recvfrom EAGAIN
                        recvmsg EAGAIN
                        recvmmsg EAGAIN
                        errors EAGAIN
                        pieces EMSGSIZE
                        no memory EFAULT
                        nor there EFAULT
                        """);
    }

    @Test
    void dig_asks_us_over_udp_or_a_server_that_a_rule_names() throws Exception {
        var dig = program("/usr/bin/dig");
        // Knows a name that we do not.
        proxy.correspondent =
                new Echo(
                                question -> {
                                    var there = new byte[question.length];
                                    System.arraycopy(question, 0, there, 0, question.length);
                                    there[2] |= (byte) 0x80;
                                    there[3] = 5; // refused, and by nobody else
                                    return there;
                                })
                        .address();

        var ours = confined.run(dig, "@198.51.100.53", "+short", "+time=2", "a.test");
        assertThat(ours.output()).as("%s", ours).isEqualTo("198.18.0.1\n");
        var theirs = confined.run(dig, "@192.0.2.53", "+time=2", "+noedns", "a.test");
        assertThat(theirs.output()).as("%s", theirs).contains("status: REFUSED", "192.0.2.53#53");
        assertThat(confined.run(dig, "@b.test", "+time=2", "+short", "a.test").output())
                .as("another server on that port is us")
                .isEqualTo("198.18.0.1\n");
    }

    @Test
    void nobody_is_made_to_wait_whose_socket_is_none_of_these() throws Exception {
        var probe =
                confined.compile(
                        "others",
                        """
                        int main() {
                            int pair[2];
                            socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
                            dup2(pair[0], 800);
                            dup2(pair[1], 801);
                            struct iovec v = {"hello", 5};
                            struct msghdr m = {0, 0, &v, 1};
                            say("send", sendmsg(800, &m, 0));
                            char text[10] = {0};
                            struct iovec w = {text, 9};
                            struct msghdr n = {0, 0, &w, 1};
                            say("receive", recvmsg(801, &n, 0));
                            puts(text);
                            int s = socket(AF_INET, SOCK_DGRAM, 0);
                            printf("%d\\n", s);
                            dup2(1, 1022);
                            printf("%d\\n", socket(AF_INET, SOCK_DGRAM, 0));
                            struct rlimit few = {64, 64};
                            setrlimit(RLIMIT_NOFILE, &few);
                            printf("%d\\n", socket(AF_INET, SOCK_DGRAM, 0) < 64);
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo("send ok\nreceive ok\nhello\n1023\n1021\n1\n");
    }

    @Test
    void sockets_of_one_sandbox_reach_each_other_without_a_rule() throws Exception {
        assertThat(
                        python(
                                """
                                import os
                                a = new(); a.bind(('127.0.0.1', 0)); at = a.getsockname()
                                b = new(); b.sendto(b'to', at)
                                message, back = a.recvfrom(9)
                                a.sendto(b'back', back)
                                print(message, b.recvfrom(9) == (b'back', at), back[1] == b.getsockname()[1])
                                c = new(); c.connect(at); c.send(b'connected')
                                print(a.recvfrom(9) == (b'connected', c.getsockname()))
                                if os.fork() == 0:
                                    new().sendmsg([b'chi', b'ld'], [], 0, at); os._exit(0)
                                print(a.recv(9))
                                both = new(socket.AF_INET6); both.bind(('::', 7777))
                                b.sendto(b'four', ('0.0.0.0', 7777))
                                new(socket.AF_INET6).sendto(b'six', ('::1', 7777))
                                print(both.recvfrom(9)[1][0], both.recvfrom(9)[1][0])
                                four = new(); four.bind(('0.0.0.0', 7777))
                                b.sendto(b'', ('127.0.0.1', 7777))
                                print(four.recv(9))
                                tell(lambda: new().bind(('127.0.0.1', 7777)))
                                tell(lambda: four.bind(('127.0.0.1', 7778)))
                                for _ in range(100):
                                    four.close(); four = new(); four.bind(('127.0.0.1', 7777))
                                    four.sendto(b'self', ('127.0.0.1', 7777)); assert four.recv(9) == b'self'
                                """))
                .isEqualTo(
                        """
                        b'to' True True
                        True
                        b'child'
                        ::ffff:127.0.0.1 ::1
                        b''
                        OSError 98
                        OSError 22
                        """);
        assertThat(judged(true)).isEmpty();
        assertThat(judged(false)).isEmpty();
    }

    @Test
    void no_port_of_the_machine_is_bound_or_reached_by_that() throws Exception {
        int port = echo.address().getPort();
        var tries =
                """
                a = new(); a.bind(('127.0.0.1', %d)); a.sendto(b'own', ('127.0.0.1', %d))
                print(a.recv(9))
                tell(lambda: new().bind(('127.0.0.1', 53)))
                tell(lambda: new().bind(('192.0.2.7', 7777)))
                tell(lambda: a.sendto(b'x', ('127.0.0.1', 7777)))
                """
                        .formatted(port, port);

        assertThat(python(tries))
                .isEqualTo("b'own'\nPermissionError 13\nPermissionError 13\nPermissionError 13\n");
        assertThat(echo.came).isEmpty();

        confined.deny("net:udp://127.0.0.1:*");
        assertThat(
                        python(
                                "a = new(); a.bind(('127.0.0.1', 7777)); tell(lambda: a.sendto(b'x', a.getsockname()))"))
                .as("a rule counts more")
                .isEqualTo("PermissionError 13\n");
    }
}
