// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// A real nginx that speaks TLS with HTTP/2 as `allowed.test`, if this machine has one. Its
/// certificate is made by `openssl`, for an authority of its own.
final class Nginx implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/sbin/nginx");

    private final Process process;
    private final int port;
    private final Path root;

    Nginx(Path folder, boolean http2) throws Exception {
        assumeThat(PROGRAM).as("this machine has nginx").exists();
        root = folder.resolve("root.pem");
        run(
                folder,
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout root.key -out root.pem -subj /CN=root");
        Files.writeString(folder.resolve("names"), "subjectAltName=DNS:allowed.test,DNS:api.test");
        run(
                folder,
                "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout host.key -out host.csr -subj /CN=host");
        run(
                folder,
                "openssl x509 -req -in host.csr -CA root.pem -CAkey root.key -days 2 -extfile names -out host.pem");
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.createDirectories(folder.resolve("www/v1"));
        try (var big = Files.newOutputStream(folder.resolve("www/v1/big"))) {
            big.write(new byte[20_000_000]);
        }
        Files.writeString(
                folder.resolve("nginx.conf"),
                """
                user root; daemon off; pid %1$s/pid; error_log %1$s/error.log; worker_processes 1;
                events { worker_connections 512; }
                http {
                  access_log off; client_body_temp_path %1$s/body; proxy_temp_path %1$s/t1;
                  fastcgi_temp_path %1$s/t2; uwsgi_temp_path %1$s/t3; scgi_temp_path %1$s/t4;
                  client_max_body_size 100m;
                  server {
                    listen 127.0.0.1:%2$d ssl%3$s; server_name allowed.test api.test; root %1$s/www;
                    ssl_certificate %1$s/host.pem; ssl_certificate_key %1$s/host.key;
                    location / { return 200 "$server_protocol $request_method $request_uri $http_authorization\\n"; }
                    location /v1/big { }
                    location /v1/upload { proxy_pass http://unix:%1$s/inner:; }
                  }
                  server { listen unix:%1$s/inner; location / { return 200 "$http_content_length"; } }
                }
                """
                        .formatted(folder, port, http2 ? " http2" : ""));
        process =
                new ProcessBuilder(
                                PROGRAM.toString(), "-c", folder.resolve("nginx.conf").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("out").toFile())
                        .start();
        Stage.await(this::accepts);
    }

    int port() {
        return port;
    }

    Path root() {
        return root;
    }

    private boolean accepts() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static void run(Path folder, String command) throws Exception {
        var done =
                new ProcessBuilder(command.split(" "))
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(new File("/dev/null"))
                        .start();
        if (!done.waitFor(30, TimeUnit.SECONDS) || done.exitValue() != 0) {
            throw new IOException("failed: " + command);
        }
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
