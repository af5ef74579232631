// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.Action;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkIT {
    private static final String ADDRESS =
            """
            static struct sockaddr_in to(int port) {
                return (struct sockaddr_in) {AF_INET, htons(port), {htonl(INADDR_LOOPBACK)}};
            }
            """;

    @TempDir Path temporary;
    private Confined confined;
    private ServerSocket open;
    private ServerSocket other;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
        open = new ServerSocket(0, 4000, InetAddress.getLoopbackAddress());
        other = new ServerSocket(0, 4000, InetAddress.getLoopbackAddress());
        confined.allow("net:tcp://127.0.0.1:" + open.getLocalPort());
    }

    @AfterEach
    void close() throws IOException {
        open.close();
        other.close();
    }

    private static ServerSocketChannel listenAt(Path path) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(path));
    }

    @Test
    void only_named_addresses_of_this_machine_can_be_reached() throws Exception {
        var probe =
                confined.compile(
                        "reach",
                        ADDRESS
                                + """
                        int main(int count, char **words) {
                            for (int i = 1; i < 3; i++) {
                                struct sockaddr_in a = to(atoi(words[i]));
                                int s = socket(AF_INET, SOCK_STREAM, 0);
                                say("connect", connect(s, (void *) &a, sizeof a));
                                s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
                                long r = connect(s, (void *) &a, sizeof a);
                                say("at once", r < 0 && errno == EINPROGRESS ? 0 : r);
                                s = socket(AF_INET, SOCK_STREAM, 0);
                                say("fast", sendto(s, "x", 1, MSG_FASTOPEN, (void *) &a, sizeof a));
                                struct iovec v = {"x", 1};
                                struct msghdr m = {&a, sizeof a, &v, 1};
                                say("message", sendmsg(s, &m, MSG_FASTOPEN | MSG_NOSIGNAL));
                                struct sockaddr_in6 b = {AF_INET6, a.sin_port};
                                inet_pton(AF_INET6, "::ffff:127.0.0.1", &b.sin6_addr);
                                s = socket(AF_INET6, SOCK_STREAM, 0);
                                say("mapped", connect(s, (void *) &b, sizeof b));
                            }
                        }
                        """);

        int allowed = open.getLocalPort();
        int forbidden = other.getLocalPort();
        assertThat(confined.run(probe, allowed, forbidden).output())
                .isEqualTo(
                        """
                        connect ok
                        at once ok
                        fast EACCES
                        message EOPNOTSUPP
                        mapped ok
                        connect EACCES
                        at once EACCES
                        fast EACCES
                        message EOPNOTSUPP
                        mapped EACCES
                        """);
        assertThat(confined.runFreely(probe, forbidden, forbidden).output())
                .contains("connect ok", "fast ok", "mapped ok");
    }

    @Test
    void an_address_that_changes_while_it_is_judged_leads_nowhere_else() throws Exception {
        var probe =
                confined.compile(
                        "flip",
                        ADDRESS
                                + """
                        static struct sockaddr_in address;
                        static int ports[2];
                        static volatile int end;
                        static void *flip(void *_) {
                            for (int i = 0; !end; i++) *(volatile in_port_t *) &address.sin_port = ports[i & 1];
                            return 0;
                        }
                        int main(int count, char **words) {
                            int wrong = 0;
                            pthread_t t;
                            for (int i = 0; i < 2; i++) ports[i] = htons(atoi(words[i + 1]));
                            address = to(0);
                            pthread_create(&t, 0, flip, 0);
                            for (int i = 0; i < 2000; i++) {
                                int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
                                connect(s, (void *) &address, sizeof address);
                                struct sockaddr_in peer = {0};
                                socklen_t length = sizeof peer;
                                getpeername(s, (void *) &peer, &length);
                                wrong += peer.sin_port == ports[1];
                                close(s);
                            }
                            end = 1;
                            printf("%d\\n", wrong);
                        }
                        """);

        assertThat(confined.run(probe, open.getLocalPort(), other.getLocalPort()).output())
                .isEqualTo("0\n");
    }

    @Test
    void other_families_and_kinds_of_sockets_do_not_exist() throws Exception {
        var probe =
                confined.compile(
                        "families",
                        """
                        int main(void) {
                            int fds[2];
                            say("udp", socket(AF_INET, SOCK_DGRAM, 0));
                            say("udp6", socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
                            say("raw", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
                            say("ping", socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
                            say("mptcp", socket(AF_INET, SOCK_STREAM, 262));
                            say("sctp", socket(AF_INET, SOCK_STREAM, 132));
                            say("smc", socket(43, SOCK_STREAM, 0));
                            say("datagram", socket(AF_UNIX, SOCK_DGRAM, 0));
                            say("routes", socket(AF_NETLINK, SOCK_RAW, 0));
                            say("netlink", socket(AF_NETLINK, SOCK_RAW, 4));
                            say("vsock", socket(40, SOCK_STREAM, 0));
                            say("packet", socket(17, SOCK_RAW, 0));
                            say("alg", socket(38, SOCK_SEQPACKET, 0));
                            say("high bits", syscall(SYS_socket, 0xffffffff00000010L, SOCK_RAW, 4));
                            say("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        udp EACCES
                        udp6 EACCES
                        raw EACCES
                        ping EACCES
                        mptcp EACCES
                        sctp EACCES
                        smc EAFNOSUPPORT
                        datagram EACCES
                        routes ok
                        netlink EAFNOSUPPORT
                        vsock EAFNOSUPPORT
                        packet EAFNOSUPPORT
                        alg EAFNOSUPPORT
                        high bits EAFNOSUPPORT
                        pair ok
                        """);
        assertThat(confined.runFreely(probe).output()).contains("udp ok", "netlink ok");
    }

    private static final String CARDS =
            """
            #include <ifaddrs.h>
            #include <net/if.h>
            int main(void) {
                struct ifaddrs *a = 0;
                say("addresses", getifaddrs(&a));
                for (; a; a = a->ifa_next) {
                    char text[64];
                    if (a->ifa_addr->sa_family != AF_INET) continue;
                    inet_ntop(AF_INET, &((struct sockaddr_in *) a->ifa_addr)->sin_addr, text, 64);
                    printf("%s %s\\n", a->ifa_name, text);
                }
                struct ifreq all[64];
                struct ifconf list = {sizeof all, {(void *) all}};
                int s = socket(AF_INET, SOCK_STREAM, 0);
                say("list", ioctl(s, SIOCGIFCONF, &list));
                for (int i = 0; i < list.ifc_len / sizeof *all; i++) puts(all[i].ifr_name);
                struct ifreq one = {"lo"};
                say("flags", ioctl(s, SIOCGIFFLAGS, &one));
                say("up", one.ifr_flags & IFF_UP ? 0 : -1);
                say("change", ioctl(s, SIOCSIFFLAGS, &one));
                strcpy(one.ifr_name, "eth0");
                say("eth0", ioctl(s, SIOCGIFADDR, &one));
                say("file", ioctl(open("/dev/null", O_RDONLY), SIOCGIFCONF, &list));
                int left;
                say("left", ioctl(s, SIOCATMARK, &left));
            }
            """;

    /// What a program finds out about the network cards of the machine.
    @Test
    void network_cards_are_two_that_stand_for_all() throws Exception {
        var probe = confined.compile("cards", CARDS);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        addresses ok
                        lo 127.0.0.1
                        writ0 198.19.255.254
                        list ok
                        lo
                        writ0
                        flags ok
                        up ok
                        change EPERM
                        eth0 ENODEV
                        file ENOTTY
                        left ok
                        """);
        assertThat(confined.runFreely(probe).output())
                .as("without a sandbox they are those of the machine")
                .contains("addresses ok", "list ok", "lo\n")
                .doesNotContain("writ0");
    }

    @Test
    void questions_for_network_cards_cost_no_descriptor() throws Exception {
        var probe =
                confined.compile(
                        "again",
                        """
                        #include <ifaddrs.h>
                        int main(void) {
                            for (int i = 0; i < 200; i++) {
                                struct ifaddrs *a;
                                if (getifaddrs(&a)) { say("addresses", -1); return 1; }
                                freeifaddrs(a);
                            }
                            puts("fine");
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("fine\n");
    }

    /// With an address, each end of a real pair of datagram sockets sends to any of the machine.
    @Test
    void a_pair_for_datagrams_keeps_messages_apart_and_leads_nowhere_else() throws Exception {
        var probe =
                confined.compile(
                        "pair",
                        """
                        int main(int count, char **words) {
                            int fds[2];
                            char text[9] = {0};
                            struct sockaddr_un a = {AF_UNIX};
                            strcpy(a.sun_path, words[1]);
                            struct iovec piece = {"out", 3};
                            struct msghdr m = {&a, sizeof a, &piece, 1};
                            say("pair", socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds));
                            say("close on exec", (fcntl(fds[0], F_GETFD) & FD_CLOEXEC) - 1);
                            say("nothing yet", read(fds[1], text, 8));
                            write(fds[0], "one", 3); write(fds[0], "two", 3);
                            tell("first", fds[1]); tell("second", fds[1]);
                            say("sendto", sendto(fds[0], "out", 3, 0, (void *) &a, sizeof a));
                            say("connect", connect(fds[0], (void *) &a, sizeof a));
                            sendmsg(fds[0], &m, 0);
                            write(fds[0], "out", 3);
                            say("odd protocol", socketpair(AF_UNIX, SOCK_DGRAM, 9, fds));
                            say("nowhere", socketpair(AF_UNIX, SOCK_DGRAM, 0, (void *) 8));
                        }
                        """);
        var log = confined.outside.resolve("log");
        var server =
                new ProcessBuilder(
                                "/usr/bin/python3",
                                "-c",
                                "import socket,sys; s=socket.socket(socket.AF_UNIX,"
                                        + " socket.SOCK_DGRAM); s.bind(sys.argv[1]); print('up',"
                                        + " flush=True); [print('got', flush=True) for _ in iter(lambda:"
                                        + " s.recv(9), 0)]",
                                log.toString())
                        .start();
        try {
            var out = server.inputReader();
            assertThat(out.readLine()).isEqualTo("up");

            assertThat(confined.run(probe, log).output())
                    .isEqualTo(
                            """
                            pair ok
                            close on exec ok
                            nothing yet EAGAIN
                            first read one
                            second read two
                            sendto EACCES
                            connect EACCES
                            odd protocol EPROTONOSUPPORT
                            nowhere EFAULT
                            """);
            assertThat(out.ready()).isFalse();
            confined.runFreely(probe, log);
            assertThat(out.readLine()).isEqualTo("got");
        } finally {
            server.destroyForcibly();
        }
    }

    private Path listener() throws Exception {
        return confined.compile(
                "listen",
                ADDRESS
                        + """
                int main(int count, char **words) {
                    struct sockaddr_in a = to(atoi(words[1])), any = {AF_INET};
                    say("unbound", listen(socket(AF_INET, SOCK_STREAM, 0), 1));
                    /* A connection that failed leaves a port in the socket's name. */
                    int s = socket(AF_INET, SOCK_STREAM, 0);
                    say("connect", connect(s, (void *) &a, sizeof a));
                    say("after it", listen(s, 1));
                    say("any", bind(socket(AF_INET, SOCK_STREAM, 0), (void *) &any, sizeof any));
                    a.sin_port = 0;
                    s = socket(AF_INET, SOCK_STREAM, 0);
                    say("bind", bind(s, (void *) &a, sizeof a));
                    say("listen", listen(s, 1));
                }
                """);
    }

    @Test
    void nobody_listens_without_a_rule() throws Exception {
        int port = open.getLocalPort();
        open.close();

        assertThat(confined.run(listener(), port).output())
                .isEqualTo(
                        """
                        unbound EACCES
                        connect ECONNREFUSED
                        after it EACCES
                        any EACCES
                        bind ok
                        listen EACCES
                        """);
        assertThat(confined.log.events().toString())
                .as("a port of its own is asked for once, where it would be listened on")
                .containsOnlyOnce("AcceptConnections[address=127.0.0.1, port=0]");
        assertThat(confined.runFreely(listener(), port).output())
                .contains("unbound ok", "after it ok", "any ok", "listen ok");
    }

    @Test
    void with_a_rule_listening_works_where_it_says() throws Exception {
        int port = open.getLocalPort();
        open.close();

        for (var rule : new String[] {"listen:127.0.0.1:0", "listen:127.0.0.1:*"}) {
            var result = confined.allow(rule).run(listener(), port);
            assertThat(result.output())
                    .contains("unbound EACCES", "after it EACCES", "bind ok")
                    .endsWith("listen ok\n");
            assertThat(confined.log.events())
                    .noneMatch(
                            event ->
                                    event instanceof AuditEvent.Judged judged
                                            && !judged.permitted()
                                            && judged.action()
                                                    instanceof Action.AcceptConnections(var at, _)
                                            && at.toString().equals("127.0.0.1"));
        }
    }

    @Test
    void named_sockets_can_be_reached_by_their_own_name_only() throws Exception {
        var probe =
                confined.compile(
                        "named",
                        """
                        static long reach(const char *path) {
                            struct sockaddr_un a = {AF_UNIX};
                            strcpy(a.sun_path, path);
                            return connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *) &a, sizeof a);
                        }
                        int main(void) {
                            char path[64];
                            say("private", reach("private"));
                            sprintf(path, "/proc/self/fd/%d", open("private", O_PATH));
                            say("handle", reach(path));
                            symlink("private", "link");
                            say("link", reach("link"));
                            say("second name", link("private", "public"));
                            say("rename", rename("private", "public"));
                            say("exchange", syscall(SYS_renameat2, -100, "private", -100, "mine", 2));
                            say("public", reach("public"));
                            struct sockaddr_un a = {AF_UNIX, "\\0abstract"};
                            say("abstract", bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *) &a, 11));
                            say("connect abstract", connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *) &a, 11));
                            say("automatic", bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *) &a, 2));
                            strcpy(a.sun_path, "made");
                            /* Who wants to know who it speaks to gets a name, wherever it connects. */
                            int named = socket(AF_UNIX, SOCK_STREAM, 0), one = 1;
                            setsockopt(named, SOL_SOCKET, SO_PASSCRED, &one, sizeof one);
                            int s = socket(AF_UNIX, SOCK_STREAM, 0);
                            say("bind", bind(s, (void *) &a, sizeof a));
                            strcpy(a.sun_path, "mine");
                            connect(named, (void *) &a, sizeof a);
                            socklen_t length = sizeof a;
                            getsockname(named, (void *) &a, &length);
                            say(length > 2 && !a.sun_path[0] ? "named" : "nameless", listen(named, 1));
                            say("listen", listen(s, 1));
                            say("made", reach("made"));
                        }
                        """);
        Confined.file(confined.work.resolve("mine"), "");
        confined.allow("unix:./public", "unix:./made", "unix:./mine");

        try (var server = listenAt(confined.work.resolve("private"))) {
            assertThat(confined.run(probe).output())
                    .isEqualTo(
                            """
                            private EACCES
                            handle EACCES
                            link EACCES
                            second name EXDEV
                            rename EXDEV
                            exchange EXDEV
                            public ENOENT
                            abstract EACCES
                            connect abstract EACCES
                            automatic EACCES
                            bind ok
                            named EACCES
                            listen ok
                            made ok
                            """);
            assertThat(server.isOpen()).isTrue();
            assertThat(confined.log.events().toString())
                    .as("to connect is judged once, also by who has to wait")
                    .containsOnlyOnce("ConnectSocket[path=" + confined.work.resolve("made") + "]");
        }
    }

    /// With a route in its packets, or bound to a network card, a socket that is connected to an
    /// address of this machine sends to other ones.
    @Test
    void a_connection_takes_no_other_way_than_its_address_says() throws Exception {
        var probe =
                confined.compile(
                        "routes",
                        ADDRESS
                                + """
                        int main(int count, char **words) {
                            struct sockaddr_in a = to(atoi(words[1]));
                            int s = socket(AF_INET, SOCK_STREAM, 0), six = socket(AF_INET6, SOCK_STREAM, 0);
                            unsigned char route[] = {131, 7, 4, 127, 0, 0, 2, 0};
                            say("route", setsockopt(s, IPPROTO_IP, IP_OPTIONS, route, sizeof route));
                            unsigned char segments[24] = {0, 2, 4};
                            segments[23] = 1;
                            say("segments", setsockopt(six, IPPROTO_IPV6, IPV6_RTHDR, segments, 24));
                            say("old way", setsockopt(six, IPPROTO_IPV6, 6, 0, 0));
                            say("card", setsockopt(socket(AF_INET, SOCK_STREAM, 0), SOL_SOCKET, SO_BINDTODEVICE, "lo", 3));
                            int card = 1;
                            say("number", setsockopt(socket(AF_INET, SOCK_STREAM, 0), SOL_SOCKET, 62, &card, sizeof card));
                            struct timeval soon = {0, 300000};
                            setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
                            say("connect", connect(s, (void *) &a, sizeof a));
                        }
                        """);

        int port = open.getLocalPort();
        assertThat(confined.run(probe, port).output())
                .isEqualTo(
                        """
                        route ENOPROTOOPT
                        segments ENOPROTOOPT
                        old way ENOPROTOOPT
                        card EPERM
                        number EPERM
                        connect ok
                        """);
        assertThat(confined.runFreely(probe, port).output())
                .contains("route ok\n", "segments ok\n", "old way ok\n", "card ok\n", "number ok\n")
                .doesNotContain("connect ok");
    }

    /// Connects more often than there are places where nobody accepts, and waits.
    private static final String CROWD =
            """
            static struct sockaddr_un to = {AF_UNIX};
            static void *wait_for_it(void *_) {
                connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *) &to, sizeof to);
                return 0;
            }
            int main(int count, char **words) {
                strcpy(to.sun_path, words[1]);
                pthread_t some[12];
                for (int i = 0; i < 12; i++) pthread_create(some + i, 0, wait_for_it, 0);
                if (count == 2) { usleep(500000); return 0; }
                for (int i = 0; i < 12; i++) pthread_join(some[i], 0);
                puts("all connected");
            }
            """;

    private static ServerSocketChannel listenToFew(Path path) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(path), 1);
    }

    private static long waiting() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("writ-waiting"))
                .count();
    }

    @Test
    void nobody_waits_for_a_connection_longer_than_its_process() throws Exception {
        var crowd = confined.compile("crowd", CROWD);
        var path = confined.outside.resolve("s");
        confined.allow("unix:" + path);
        try (var server = listenToFew(path)) {
            confined.run(crowd, path);
            for (int i = 0; i < 500 && waiting() > 0; i++) {
                Thread.sleep(10);
            }

            assertThat(waiting()).isZero();
            assertThat(server.isOpen()).isTrue();
        }
    }

    @Test
    void who_waits_for_a_connection_gets_it() throws Exception {
        var crowd = confined.compile("crowd", CROWD);
        var path = confined.outside.resolve("s");
        confined.allow("unix:" + path);
        try (var server = listenToFew(path)) {
            var accepting =
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        try {
                                            Thread.sleep(1000);
                                            while (true) {
                                                server.accept().close();
                                            }
                                        } catch (IOException | InterruptedException e) {
                                            // it is over
                                        }
                                    });

            assertThat(confined.run(crowd, path, "all").output()).isEqualTo("all connected\n");
            accepting.interrupt();
        }
    }

    @Test
    void how_long_to_wait_for_a_connection_is_for_the_program_to_say() throws Exception {
        var probe =
                confined.compile(
                        "patience",
                        """
                        int main(int count, char **words) {
                            struct sockaddr_un to = {AF_UNIX};
                            strcpy(to.sun_path, words[1]);
                            for (int i = 0; i < 2; i++) {
                                int s = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
                                connect(s, (void *) &to, sizeof to);
                            }
                            int s = socket(AF_UNIX, SOCK_STREAM, 0);
                            struct timeval soon = {0, 300000}, now = {0, 0};
                            socklen_t size = sizeof now;
                            setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
                            say("soon", connect(s, (void *) &to, sizeof to));
                            getsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &now, &size);
                            printf("%ld\\n", now.tv_sec * 1000000 + now.tv_usec);
                            fcntl(s, F_SETFL, O_NONBLOCK);
                            say("now", connect(s, (void *) &to, sizeof to));
                        }
                        """);
        var path = confined.outside.resolve("s");
        confined.allow("unix:" + path);
        try (var server = listenToFew(path)) {
            var inside = confined.run(probe, path);

            assertThat(inside.output()).isEqualTo("soon EAGAIN\n300000\nnow EAGAIN\n");
            assertThat(confined.runFreely(probe, path)).isEqualTo(inside);
            assertThat(server.isOpen()).isTrue();
        }
    }

    @Test
    void what_a_sandbox_has_not_is_said_once() throws Exception {
        var probe =
                confined.compile(
                        "absent",
                        """
                        int main(void) {
                            struct sockaddr_un a = {AF_UNIX, "\\0name"};
                            for (int i = 0; i < 2; i++) {
                                bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *) &a, 7);
                                connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *) &a, 7);
                                socket(AF_UNIX, SOCK_DGRAM, 0);
                                ptrace(PTRACE_TRACEME, 0, 0, 0);
                                say("seize", ptrace(PTRACE_SEIZE, getppid(), 0, 0));
                                say("untraced", syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0));
                            }
                        }
                        """);

        var result = confined.run(probe);

        assertThat(result.output())
                .isEqualTo("seize EPERM\nuntraced EPERM\nseize EPERM\nuntraced EPERM\n");
        assertThat(result.errors().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("name is no path", "$TMPDIR"),
                        line -> assertThat(line).contains("datagrams", "SOCK_STREAM"),
                        line -> assertThat(line).contains("ptrace", "outside", "detect_leaks"));
    }
}
