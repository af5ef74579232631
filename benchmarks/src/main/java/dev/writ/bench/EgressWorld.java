// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A web server and proxies in front of it, all real, each a process of its own on this machine.
final class EgressWorld implements AutoCloseable {
    static final long LARGE = 1L << 30;

    final Path folder;
    final int origin;

    /// The same with TLS, and nginx in front of that, which ends TLS and begins it anew.
    final int secure;

    final int terminating;
    private final Path memory;
    private final Path root;
    private final List<Process> processes = new ArrayList<>();

    EgressWorld(Path root) throws Exception {
        this.root = root;
        this.folder = Files.createTempDirectory("writ-bench");
        this.memory = Files.createTempDirectory(Path.of("/dev/shm"), "writ-bench");
        this.origin = free();
        this.secure = free();
        this.terminating = free();
        certificate();
        Files.createDirectories(folder.resolve("www"));
        Files.writeString(folder.resolve("www/small"), "a small answer, as most are\n");
        try (var large = new RandomAccessFile(folder.resolve("www/large").toFile(), "rw")) {
            large.setLength(LARGE);
        }
        write(
                "nginx.conf",
                """
                %3$s worker_processes 1; daemon off; pid %1$s/nginx.pid; error_log %1$s/nginx.log;
                events { worker_connections 4096; }
                http {
                  access_log off; sendfile on; keepalive_requests 100000000;
                  client_body_temp_path %1$s/b; proxy_temp_path %1$s/p; fastcgi_temp_path %1$s/f;
                  uwsgi_temp_path %1$s/u; scgi_temp_path %1$s/s;
                  server { listen 127.0.0.1:%2$d; root %1$s/www; }
                  ssl_certificate %1$s/cert.pem; ssl_certificate_key %1$s/key.pem;
                  server { listen 127.0.0.1:%4$d ssl; root %1$s/www; }
                  upstream secure { server 127.0.0.1:%4$d; keepalive 16; }
                  server {
                    listen 127.0.0.1:%5$d ssl;
                    location / {
                      proxy_pass https://secure; proxy_http_version 1.1; proxy_set_header Connection "";
                      proxy_ssl_session_reuse on;
                    }
                  }
                }
                """
                        .formatted(
                                folder, origin, isRoot() ? "user root;" : "", secure, terminating));
        start("nginx", "-c", folder.resolve("nginx.conf").toString());
        awaitPort(origin);
    }

    private void certificate() throws Exception {
        start(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=127.0.0.1",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-keyout",
                folder.resolve("key.pem").toString(),
                "-out",
                folder.resolve("cert.pem").toString());
        if (processes.removeLast().waitFor() != 0) {
            throw new IOException("openssl made no certificate");
        }
    }

    /// A proxy and what it wants to be told.
    ///
    /// @param login name and token, or nothing
    record Proxy(int port, String login, Process process) {
        /// The same as a header with its end of line.
        String authorization() {
            return login.isEmpty()
                    ? ""
                    : "Proxy-Authorization: Basic "
                            + Base64.getEncoder()
                                    .encodeToString(login.getBytes(StandardCharsets.UTF_8))
                            + "\r\n";
        }
    }

    Proxy tinyproxy() throws Exception {
        int port = free();
        write(
                "tinyproxy.conf",
                """
                Port %d
                Listen 127.0.0.1
                Timeout 600
                MaxClients 1200
                LogLevel Critical
                ConnectPort %d
                """
                        .formatted(port, origin));
        start("tinyproxy", "-d", "-c", folder.resolve("tinyproxy.conf").toString());
        awaitPort(port);
        return new Proxy(port, "", processes.getLast());
    }

    Proxy squid() throws Exception {
        int port = free();
        write(
                "squid.conf",
                """
                http_port 127.0.0.1:%1$d
                http_access allow all
                cache deny all
                access_log none
                cache_log %2$s/squid.log
                pid_filename %2$s/squid.pid
                coredump_dir %2$s
                pinger_enable off
                max_filedescriptors 4096
                shutdown_lifetime 0 seconds
                """
                        .formatted(port, folder));
        start("squid", "-N", "-f", folder.resolve("squid.conf").toString());
        awaitPort(port);
        return new Proxy(port, "", processes.getLast());
    }

    /// `writ proxy` with one rule, recorded as always.
    Proxy writ(String rule) throws Exception {
        return writ(rule, folder.resolve("state"));
    }

    /// The same, with its record where there is no disk to wait for.
    Proxy writInMemory(String rule) throws Exception {
        return writ(rule, memory);
    }

    private Proxy writ(String rule, Path state) throws Exception {
        var builder =
                prepared(launcher(), "proxy", "--no-policy", "--allow", rule)
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("WRIT_HOME", state.toString());
        var process = builder.start();
        processes.add(process);
        var out = new BufferedReader(process.inputReader());
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("export HTTP_PROXY=http://")) {
                // http://USER:TOKEN@HOST:PORT
                String rest = line.substring("export HTTP_PROXY=http://".length());
                int at = rest.lastIndexOf('@');
                return new Proxy(
                        Integer.parseInt(rest.substring(rest.lastIndexOf(':') + 1)),
                        rest.substring(0, at),
                        process);
            }
        }
        throw new IOException("`writ proxy` did not start");
    }

    String launcher() {
        return root.resolve("writ").toString();
    }

    /// How many milliseconds a command takes that must end well.
    double took(String... words) throws Exception {
        long start = System.nanoTime();
        int exit = prepared(words).inheritIO().start().waitFor();
        if (exit != 0) {
            throw new IOException(String.join(" ", words) + " ended with " + exit);
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private ProcessBuilder prepared(String... words) {
        var builder = new ProcessBuilder(words).directory(folder.resolve("www").toFile());
        builder.environment().put("WRIT_HOME", folder.resolve("state").toString());
        builder.environment().put("SSL_CERT_FILE", folder.resolve("cert.pem").toString());
        return builder;
    }

    /// Then nginx would take an account that cannot read what is here.
    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private void start(String... command) throws IOException {
        var builder = new ProcessBuilder(command);
        builder.environment().merge("PATH", "/usr/sbin", (path, more) -> path + ":" + more);
        processes.add(
                builder.redirectErrorStream(true)
                        .redirectOutput(folder.resolve(command[0] + ".out").toFile())
                        .start());
    }

    private static int free() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void awaitPort(int port) throws Exception {
        for (int i = 0; i < 200; i++) {
            try (var _ = HttpLoad.plain(port)) {
                return;
            } catch (IOException e) {
                Thread.sleep(50);
            }
        }
        throw new IOException("nobody listens on port " + port);
    }

    @Override
    public void close() throws IOException {
        for (var process : processes) {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
            try {
                process.waitFor(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        for (var made : List.of(folder, memory)) {
            try (var paths = Files.walk(made)) {
                paths.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
            }
        }
    }
}
