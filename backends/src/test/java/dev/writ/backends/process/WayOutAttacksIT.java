// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.backends.process.Trial.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.FilePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Programs that do not want to be led.
class WayOutAttacksIT {
    private static final String ADDRESS =
            """
            static struct sockaddr_in to(const char *ip, int port) {
                struct sockaddr_in a = {AF_INET, htons(port)};
                inet_pton(AF_INET, ip, &a.sin_addr);
                return a;
            }
            static struct sockaddr_in6 to6(const char *ip, int port) {
                struct sockaddr_in6 a = {AF_INET6, htons(port)};
                inet_pton(AF_INET6, ip, &a.sin6_addr);
                return a;
            }
            """;

    @TempDir Path temporary;
    private Confined confined;
    private TestProxy proxy;

    @BeforeEach
    void given() throws Exception {
        proxy = new TestProxy();
        proxy.standsFor("a.test"); // 198.18.0.1
        proxy.standsFor("b.test"); // 198.18.0.2
        confined = Confined.judged(temporary).through(proxy);
        confined.allow("net:tcp://a.test:80", "net:tcp://[2001:db8::7]:80", "listen:127.0.0.1:0");
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    private List<String> refused() {
        return confined.log.events().stream()
                .filter(AuditEvent.Judged.class::isInstance)
                .map(AuditEvent.Judged.class::cast)
                .filter(event -> !event.permitted())
                .map(event -> event.action().toString())
                .toList();
    }

    @Test
    void an_address_that_changes_while_it_is_judged_is_announced_as_what_was_judged()
            throws Exception {
        var probe =
                confined.compile(
                        "flip",
                        ADDRESS
                                + """
                        static struct sockaddr_in address;
                        static in_addr_t hosts[2];
                        static volatile int end;
                        static void *flip(void *_) {
                            for (int i = 0; !end; i++)
                                *(volatile in_addr_t *) &address.sin_addr.s_addr = hosts[i & 1];
                            return 0;
                        }
                        int main() {
                            int done = 0, refused = 0;
                            pthread_t t;
                            hosts[0] = inet_addr("198.18.0.1");
                            hosts[1] = inet_addr("198.18.0.2");
                            address = to("198.18.0.1", 80);
                            pthread_create(&t, 0, flip, 0);
                            for (int i = 0; i < 2000; i++) {
                                char none;
                                int s = socket(AF_INET, SOCK_STREAM, 0);
                                if (connect(s, (void *) &address, sizeof address) == 0) {
                                    done++;
                                    shutdown(s, SHUT_WR);
                                    read(s, &none, 1);
                                } else if (errno == EACCES) refused++;
                                close(s);
                            }
                            end = 1;
                            puts(done && refused ? "both" : "one only");
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("both\n");
        assertThat(proxy.awaited()).isZero();
        assertThat(proxy.came).isNotEmpty().containsOnly("a.test:80");
        assertThat(proxy.strangers).isEmpty();
        assertThat(refused()).isNotEmpty().allMatch(action -> action.contains("b.test"));
    }

    @Test
    void the_proxy_itself_cannot_be_reached() throws Exception {
        confined.allow("net:tcp://127.0.0.1:*");
        var probe =
                confined.compile(
                        "proxy",
                        ADDRESS
                                + """
                        int main(int count, char **words) {
                            struct sockaddr_in a = to("127.0.0.1", atoi(words[1]));
                            struct sockaddr_in6 b = to6("::ffff:127.0.0.1", atoi(words[1]));
                            int s = socket(AF_INET, SOCK_STREAM, 0);
                            say("direct", connect(s, (void *) &a, sizeof a));
                            s = socket(AF_INET6, SOCK_STREAM, 0);
                            say("mapped", connect(s, (void *) &b, sizeof b));
                        }
                        """);
        int port = proxy.address().getPort();

        assertThat(confined.run(probe, port).output()).isEqualTo("direct EACCES\nmapped EACCES\n");
        assertThat(proxy.strangers).isEmpty();
        assertThat(confined.runFreely(probe, port).output()).isEqualTo("direct ok\nmapped ok\n");
    }

    @Test
    void each_socket_is_led_once_and_announced_once() throws Exception {
        var probe =
                confined.compile(
                        "once",
                        ADDRESS
                                + """
                        int main() {
                            struct sockaddr_in a = to("198.18.0.1", 80);
                            struct sockaddr_in b = to("198.18.0.2", 80);
                            struct sockaddr none = {AF_UNSPEC};
                            int s = socket(AF_INET, SOCK_STREAM, 0);
                            say("first", connect(s, (void *) &a, sizeof a));
                            say("again", connect(s, (void *) &a, sizeof a));
                            say("elsewhere", connect(s, (void *) &b, sizeof b));
                            say("apart", connect(s, &none, sizeof none));
                            s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
                            connect(s, (void *) &a, sizeof a);
                            for (int i = 0; i < 1000 && connect(s, (void *) &a, sizeof a); i++)
                                if (errno == EISCONN) break;
                            say("not waiting", write(s, "x", 1));
                            s = socket(AF_INET, SOCK_STREAM, 0);
                            struct sockaddr_in own = to("127.0.0.1", 0);
                            say("bound", bind(s, (void *) &own, sizeof own));
                            say("bound", connect(s, (void *) &a, sizeof a));
                            s = socket(AF_UNIX, SOCK_STREAM, 0);
                            say("no such socket", connect(s, (void *) &a, sizeof a));
                            s = socket(AF_INET, SOCK_STREAM, 0);
                            struct sockaddr_in any = to("0.0.0.0", 0);
                            say("any", bind(s, (void *) &any, sizeof any));
                            say("listen", listen(s, 1));
                            socklen_t size = sizeof any;
                            getsockname(s, (void *) &any, &size);
                            puts(any.sin_addr.s_addr == own.sin_addr.s_addr ? "here" : "anywhere");
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        first ok
                        again EISCONN
                        elsewhere EACCES
                        apart EACCES
                        not waiting ok
                        bound ok
                        bound ok
                        no such socket EINVAL
                        any ok
                        listen ok
                        here
                        """);
        assertThat(proxy.awaited()).isZero();
        assertThat(proxy.came).containsExactly("a.test:80", "a.test:80", "a.test:80");
        assertThat(proxy.strangers).isEmpty();
    }

    @Test
    void sockets_of_either_family_are_led() throws Exception {
        var probe =
                confined.compile(
                        "families",
                        ADDRESS
                                + """
                        int main() {
                            struct sockaddr_in6 mapped = to6("::ffff:198.18.0.1", 80);
                            struct sockaddr_in6 six = to6("2001:db8::7", 80);
                            int yes = 1;
                            int s = socket(AF_INET6, SOCK_STREAM, 0);
                            say("mapped", connect(s, (void *) &mapped, sizeof mapped));
                            s = socket(AF_INET6, SOCK_STREAM, 0);
                            setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
                            say("only", connect(s, (void *) &six, sizeof six));
                            s = socket(AF_INET, SOCK_STREAM, 0);
                            setsockopt(s, IPPROTO_IP, 24, &yes, sizeof yes);
                            struct sockaddr_in a = to("198.18.0.1", 80);
                            say("late port", connect(s, (void *) &a, sizeof a));
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("mapped ok\nonly ok\nlate port ok\n");
        assertThat(proxy.awaited()).isZero();
        assertThat(proxy.came)
                .containsExactlyInAnyOrder("a.test:80", "[2001:db8::7]:80", "a.test:80");
    }

    @Test
    void no_datagram_leaves() throws Exception {
        var probe =
                confined.compile(
                        "datagrams",
                        ADDRESS
                                + """
                        int main(int count, char **words) {
                            struct sockaddr_in a = to("127.0.0.1", atoi(words[1]));
                            struct sockaddr_in names = to("127.0.0.1", 53);
                            int s = socket(AF_INET, SOCK_DGRAM, 0);
                            say("to", sendto(s, "to", 2, 0, (void *) &a, sizeof a));
                            s = socket(AF_INET, SOCK_DGRAM, 0);
                            connect(s, (void *) &a, sizeof a);
                            send(s, "connected", 9, 0);
                            s = socket(AF_INET, SOCK_DGRAM, 0);
                            connect(s, (void *) &names, sizeof names);
                            struct iovec v = {"message", 7};
                            struct msghdr m = {&a, sizeof a, &v, 1};
                            struct mmsghdr mm = {m};
                            sendmsg(s, &m, 0);
                            sendmmsg(s, &mm, 1, 0);
                            s = socket(AF_INET, SOCK_DGRAM, 0);
                            sendmsg(s, &m, 0);
                            say("raw", socket(AF_INET, SOCK_RAW, 1));
                            say("ping", socket(AF_INET, SOCK_DGRAM, 1));
                            say("ping6", socket(AF_INET6, SOCK_DGRAM, 58));
                            say("packet", socket(AF_PACKET, SOCK_DGRAM, 0));
                        }
                        """);
        try (var server = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(500);
            int port = server.getLocalPort();

            assertThat(confined.run(probe, port).output())
                    .isEqualTo(
                            """
                            to EACCES
                            raw EACCES
                            ping EACCES
                            ping6 EACCES
                            packet EAFNOSUPPORT
                            """);
            assertThat(arrives(server)).isFalse();
            assertThat(refused()).anyMatch(a -> a.contains("UDP") && a.contains("" + port));
            confined.runFreely(probe, port);
            assertThat(arrives(server)).isTrue();
        }
    }

    private static boolean arrives(DatagramSocket server) throws Exception {
        try {
            server.receive(new DatagramPacket(new byte[100], 100));
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Test
    void datagram_sockets_are_counted_and_given_back() throws Exception {
        var probe =
                confined.compile(
                        "many",
                        """
                        int main() {
                            int all[300], made = 0;
                            for (int i = 0; i < 300; i++)
                                made += (all[i] = socket(AF_INET, SOCK_DGRAM, 0)) >= 0;
                            printf("%d\\n", made);
                            say("one more", socket(AF_INET, SOCK_DGRAM, 0));
                            for (int i = 0; i < 300; i++) close(all[i]);
                            for (int i = 0; i < 1000 && (made = socket(AF_INET, SOCK_DGRAM, 0)) < 0; i++)
                                usleep(10000);
                            say("afterwards", made);
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo("256\none more ENOBUFS\nafterwards ok\n");
    }

    /// Between the verdict and the reading another sandbox puts a link in place of the file.
    @Test
    void what_is_found_instead_is_made_of_what_was_judged() throws Exception {
        var file = Confined.file(confined.work.resolve("roots.pem"), "of the machine");
        var secret = Confined.file(confined.outside.resolve("secret.pem"), "secret");
        proxy.instead.put(FilePath.of("/nothing"), new byte[0]);
        proxy.reading =
                object -> {
                    try {
                        if (!Files.isSymbolicLink(file) && Files.isSameFile(object, file)) {
                            Files.delete(file);
                            Files.createSymbolicLink(file, secret);
                            return Optional.of(Files.readAllBytes(object));
                        }
                        return Optional.empty();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                };
        var probe =
                confined.compile(
                        "judged",
                        """
                        int main() {
                            tell("file", open("roots.pem", O_RDONLY));
                            tell("link", open("roots.pem", O_RDONLY));
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo("file read of the machine\nlink EACCES\n");
        assertThat(file).as("by its name").hasContent("secret");
    }

    @Test
    void a_program_that_makes_up_such_files_takes_no_more_memory_for_it() throws Exception {
        proxy.instead.put(FilePath.of("/nothing"), new byte[0]);
        var most = new AtomicLong();
        proxy.reading =
                object -> {
                    if (!behind(object).endsWith(".pem")) {
                        return Optional.empty();
                    }
                    most.accumulateAndGet(inMemory(), Math::max);
                    return Optional.of("of the session".getBytes(UTF_8));
                };
        var probe =
                confined.compile(
                        "makes-up",
                        """
                        int main() {
                            for (int i = 0; i < 100; i++) {
                                char name[20];
                                sprintf(name, "%d.pem", i);
                                close(open(name, O_CREAT | O_WRONLY, 0600));
                                int f = open(name, O_RDONLY);
                                if (i == 99) tell("last", f);
                                close(f);
                            }
                            tell("first", open("0.pem", O_RDONLY));
                        }
                        """);
        long before = inMemory();

        assertThat(confined.run(probe).output())
                .isEqualTo("last read of the session\nfirst read of the session\n");
        assertThat(most.get() - before).isBetween(10L, 20L);
        eventually("nothing is left in memory", () -> inMemory() == before);
    }

    /// How many files in memory this process has open.
    private static long inMemory() {
        var names = Objects.requireNonNull(Path.of("/proc/self/fd").toFile().list());
        return Stream.of(names)
                .filter(name -> behind(Path.of("/proc/self/fd", name)).startsWith("/memfd:"))
                .count();
    }

    private static String behind(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    @Test
    void a_file_is_found_with_other_contents_that_nobody_can_change() throws Exception {
        var file = Confined.file(confined.work.resolve("roots.pem"), "of the machine");
        var other = Confined.file(confined.work.resolve("other.pem"), "of the machine");
        Files.createSymbolicLink(confined.work.resolve("link.pem"), file);
        proxy.instead.put(FilePath.of(file.toString()), "of the session".getBytes(UTF_8));
        var probe =
                confined.compile(
                        "replaced",
                        """
                        int main() {
                            int f = open("roots.pem", O_RDONLY | O_CLOEXEC);
                            printf("%d\\n", fcntl(f, F_GETFD));
                            tell("file", f);
                            tell("link", open("link.pem", O_RDONLY));
                            tell("other", open("other.pem", O_RDONLY));
                            char path[99];
                            sprintf(path, "/proc/self/fd/%d", f);
                            int w = open(path, O_RDWR);
                            say("write", w < 0 ? w : pwrite(w, "evil", 4, 0));
                            tell("again", open("roots.pem", O_RDONLY));
                        }
                        """);

        var lines = confined.run(probe).output().lines().toList();
        assertThat(lines)
                .contains(
                        "1",
                        "file read of the session",
                        "link read of the session",
                        "other read of the machine",
                        "again read of the session")
                .doesNotContain("write ok");
        assertThat(file).hasContent("of the machine");
        assertThat(other).hasContent("of the machine");
    }
}
