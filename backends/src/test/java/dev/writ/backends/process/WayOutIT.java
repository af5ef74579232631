// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Programs that know nothing of proxies are led to one, by name and address.
class WayOutIT {
    @TempDir Path temporary;
    private Confined confined;
    private TestProxy proxy;

    @BeforeEach
    void given() throws Exception {
        proxy = new TestProxy();
        confined = Confined.judged(temporary).through(proxy);
        confined.allow(
                "net:tcp://api.test:80", "net:http://web.test/public", "net:tcp://192.0.2.7:80");
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    private static String program(String path) {
        assumeTrue(Files.isExecutable(Path.of(path)), "needs " + path);
        return path;
    }

    @Test
    void curl_comes_by_name_and_by_address() throws Exception {
        var curl = program("/usr/bin/curl");

        assertThat(confined.run(curl, "-sS", "http://api.test/", "http://192.0.2.7/"))
                .isEqualTo(new Confined.Result(0, "api.test:80192.0.2.7:80", ""));
        assertThat(confined.run(curl, "-sS", "http://web.test/public").output())
                .isEqualTo("web.test:80!");
        assertThat(proxy.strangers).isEmpty();
    }

    @Test
    void python_comes_by_name() throws Exception {
        var python = program("/usr/bin/python3");
        var source =
                """
                import socket, urllib.request as u
                print(u.urlopen('http://api.test/').read().decode())
                print(socket.gethostbyname('api.test'))
                try: socket.getaddrinfo('other.example', 80)
                except socket.gaierror as e: print(e.errno == socket.EAI_NONAME)
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                s.settimeout(5)
                q = bytes.fromhex('123401000001000000000000') + b'\\3api\\4test\\0\\0\\1\\0\\1'
                s.sendto(q, ('192.0.2.53', 53))
                print(s.recvfrom(512)[1])
                """;

        assertThat(confined.run(python, "-c", source))
                .isEqualTo(
                        new Confined.Result(
                                0,
                                """
                                api.test:80
                                198.18.0.1
                                True
                                ('192.0.2.53', 53)
                                """,
                                ""));
        assertThat(proxy.asked).contains("api.test", "other.example");
    }

    @Test
    void as_many_connect_at_once_as_a_program_has_threads() throws Exception {
        var python = program("/usr/bin/python3");
        var source =
                """
                import socket, threading, collections
                seen, start = collections.Counter(), threading.Barrier(200)
                def go():
                    start.wait()
                    try:
                        s = socket.create_connection(('192.0.2.7', 80))
                        s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')
                        seen[s.recv(500)[-12:].decode()] += 1
                    except OSError as e: seen[str(e)] += 1
                threads = [threading.Thread(target=go) for _ in range(200)]
                for t in threads: t.start()
                for t in threads: t.join()
                print(dict(seen))
                """;

        assertThat(confined.run(python, "-c", source).output())
                .isEqualTo("{'192.0.2.7:80': 200}\n");
    }

    @Test
    void a_static_go_program_comes_by_name() throws Exception {
        var go = program("/usr/local/go/bin/go");
        // No more than this is compiled: the rest of the library takes minutes.
        var source =
                """
                package main
                import ("fmt"; "io"; "net")
                func main() {
                    c, e := net.Dial("tcp", "api.test:80")
                    if e != nil { fmt.Println(e); return }
                    fmt.Fprint(c, "GET / HTTP/1.0\\r\\n\\r\\n")
                    b, _ := io.ReadAll(c)
                    fmt.Println(string(b))
                    _, e = net.Dial("tcp", "other.example:80")
                    fmt.Println(e)
                }
                """;
        var file = Files.writeString(confined.tools.resolve("main.go"), source);
        var built =
                confined.runFreely(
                        "/usr/bin/env",
                        "CGO_ENABLED=0",
                        "HOME=" + System.getProperty("user.home"),
                        go,
                        "build",
                        "-o",
                        confined.tools.resolve("client"),
                        file);
        assertThat(built.code()).as("%s", built).isZero();

        assertThat(confined.run(confined.tools.resolve("client")).output())
                .contains("\r\n\r\napi.test:80\n", "other.example", "no such host");
    }

    @Test
    void a_static_musl_program_comes_by_name() throws Exception {
        var compiler = program("/usr/bin/musl-gcc");
        var source =
                """
                #include <netdb.h>
                #include <stdio.h>
                #include <string.h>
                #include <unistd.h>
                int main() {
                    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
                    int failed = getaddrinfo("api.test", "80", &hints, &found);
                    if (failed) return puts(gai_strerror(failed));
                    int s = socket(found->ai_family, SOCK_STREAM, 0);
                    if (connect(s, found->ai_addr, found->ai_addrlen)) return puts("connect");
                    write(s, "GET / HTTP/1.0\\r\\n\\r\\n", 18);
                    char text[500] = {0};
                    read(s, text, 499);
                    puts(strstr(text, "\\r\\n\\r\\n") + 4);
                    puts(gai_strerror(getaddrinfo("other.example", "80", &hints, &found)));
                }
                """;
        var file = Files.writeString(confined.tools.resolve("musl.c"), source);
        var client = confined.tools.resolve("musl");
        assertThat(confined.runFreely(compiler, "-static", "-o", client, file).errors()).isEmpty();

        assertThat(confined.run(client).output()).isEqualTo("api.test:80\nName does not resolve\n");
    }

    @Test
    void node_comes_by_name() throws Exception {
        var node = program("/usr/bin/node");
        var source =
                """
                fetch('http://api.test/').then(r => r.text()).then(console.log)
                  .then(() => require('dns').promises.resolve4('api.test')).then(a => console.log(a[0]))
                  .then(() => require('dns').promises.resolve4('other.example')).catch(e => console.log(e.code))
                """;

        assertThat(confined.run(node, "-e", source).output())
                .isEqualTo("api.test:80\n198.18.0.1\nENOTFOUND\n");
    }

    @Test
    void java_comes_by_name() throws Exception {
        var java = System.getProperty("java.home") + "/bin/java";
        confined.allow("read:" + System.getProperty("java.home"), "read:/proc", "read:/sys");
        var source =
                """
                import java.net.*;
                public class Client {
                    public static void main(String[] words) throws Exception {
                        var in = URI.create("http://api.test/").toURL().openStream();
                        System.out.println(new String(in.readAllBytes()));
                        try (var s = new Socket()) { s.connect(new InetSocketAddress("192.0.2.7", 80)); }
                        try { InetAddress.getByName("other.example"); }
                        catch (UnknownHostException e) { System.out.println(e.getMessage()); }
                    }
                }
                """;
        var file = Files.writeString(confined.tools.resolve("Client.java"), source);

        var result = confined.run(java, "-Djava.io.tmpdir=" + confined.work, file);

        assertThat(result.output()).startsWith("api.test:80\nother.example");
        assertThat(proxy.came).contains("api.test:80", "192.0.2.7:80");
    }

    @Test
    void dig_asks_whom_it_wants_over_tcp_and_we_answer() throws Exception {
        var dig = program("/usr/bin/dig");

        var result = confined.run(dig, "@192.0.2.53", "+short", "+tcp", "api.test");

        assertThat(result.output()).as("%s", result).isEqualTo("198.18.0.1\n");
    }
}
