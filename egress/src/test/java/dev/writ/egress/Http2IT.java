// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.writ.core.broker.Approver;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// curl, and nginx with TLS and HTTP/2; the proxy between them.
class Http2IT {
    @TempDir private Path folder;

    @Test
    void both_sides_speak_it_and_each_request_is_judged() throws Exception {
        try (var set = new Setup(folder, true, Map.of())) {
            assertThat(set.curl("--http2", set.url("/v1/a")))
                    .isEqualTo("HTTP/2.0 GET /v1/a \n200 2");
            assertThat(set.curl("--http2", "-X", "DELETE", set.url("/v1/a")))
                    .contains("\"capability\":\"net:DELETE=https://allowed.test")
                    .endsWith("403 2");
            assertThat(set.curl("--http2", "--path-as-is", set.url("/v1/../etc/passwd")))
                    .doesNotEndWith("200 2");
            assertThat(set.curl("--http2", "--path-as-is", set.url("/v1/..%2fetc")))
                    .doesNotEndWith("200 2");
            assertThat(set.curl("--http2", "-H", "Host: evil.test", set.url("/v1/a")))
                    .endsWith("400 2");
            assertThat(
                            set.curl(
                                    "--http2",
                                    "-H",
                                    "X-HTTP-Method-Override: DELETE",
                                    set.url("/v1/a")))
                    .endsWith("400 2");
        }
    }

    @Test
    void several_requests_on_one_connection_are_judged_anew() throws Exception {
        try (var set = new Setup(folder, true, Map.of())) {
            var all =
                    set.curl("--http2", "--parallel", set.url("/v1/[1-50]"), set.url("/v2/[1-50]"));
            assertThat(all.split("HTTP/2.0 GET /v1/", -1)).hasSize(51);
            assertThat(all.split("403 2", -1)).hasSize(51);
            assertThat(all).doesNotContain("HTTP/2.0 GET /v2/");
        }
    }

    @Test
    void either_side_may_speak_the_older_one() throws Exception {
        try (var set = new Setup(folder, true, Map.of())) {
            assertThat(set.curl("--http1.1", set.url("/v1/a")))
                    .isEqualTo("HTTP/1.1 GET /v1/a \n200 1.1");
        }
        try (var set = new Setup(Files.createDirectory(folder.resolve("old")), false, Map.of())) {
            var all = set.curl("--http2", "--parallel", set.url("/v1/[1-20]"));
            assertThat(all.split("HTTP/1.1 GET /v1/", -1)).hasSize(21);
            assertThat(all.split("200 2", -1)).hasSize(21);
        }
    }

    @Test
    void much_passes_both_ways() throws Exception {
        try (var set = new Setup(folder, true, Map.of())) {
            assertThat(
                            set.curl(
                                    "--http2",
                                    "-o",
                                    "/dev/null",
                                    "-w",
                                    "%{size_download} %{http_code}",
                                    set.url("/v1/big")))
                    .isEqualTo("20000000 200");
            assertThat(
                            set.curl(
                                    "--http2",
                                    "--data-binary",
                                    "@" + folder.resolve("www/v1/big"),
                                    set.url("/v1/upload")))
                    .isEqualTo("20000000200 2");
        }
    }

    @Test
    void a_secret_is_put_in_and_taken_out() throws Exception {
        try (var set =
                new Setup(folder, true, Map.of("hush", List.of("Authorization: Bearer {}")))) {
            assertThat(set.curl("--http2", set.url("/v1/a")))
                    .isEqualTo("HTTP/2.0 GET /v1/a Bearer " + "*".repeat(32) + "\n200 2");
            assertThat(set.curl("--http2", "-d", set.stage.placeholder("hush"), set.url("/v1/a")))
                    .endsWith("403 2");
        }
    }

    @Test
    void a_server_that_is_not_trusted_is_told_nothing() throws Exception {
        try (var nginx = new Nginx(folder, true);
                var stage = stage(nginx, List.of(), Map.of())) {
            var set = new Setup(folder, nginx, stage);
            assertThat(set.curl("--http2", set.url("/v1/a")))
                    .contains("TLS with allowed.test")
                    .endsWith("502 2");
        }
    }

    private static Stage stage(Nginx nginx, List<Path> roots, Map<String, List<String>> secrets) {
        return new Stage(
                new Origin(),
                roots,
                secrets.entrySet().stream()
                        .collect(
                                Collectors.toMap(
                                        Map.Entry::getKey,
                                        s ->
                                                List.of(
                                                        "https://allowed.test:" + nginx.port(),
                                                        s.getValue().getFirst()))),
                Approver.nobody(),
                Bounds.DEFAULT,
                "allow net:GET,POST=https://allowed.test:" + nginx.port() + "/v1/**",
                "allow net:127.0.0.1:" + nginx.port());
    }

    private static final class Setup implements AutoCloseable {
        private final Path folder;
        private final Nginx nginx;
        final Stage stage;

        Setup(Path folder, boolean http2, Map<String, List<String>> secrets) throws Exception {
            this.folder = folder;
            this.nginx = new Nginx(folder, http2);
            this.stage = stage(nginx, List.of(nginx.root()), secrets);
        }

        Setup(Path folder, Nginx nginx, Stage stage) {
            this.folder = folder;
            this.nginx = nginx;
            this.stage = stage;
        }

        String url(String path) {
            return "https://allowed.test:" + nginx.port() + path;
        }

        /// What it prints, and the status and the version of each answer.
        String curl(String... arguments) throws Exception {
            assumeThat(Path.of("/usr/bin/curl")).exists();
            var trusted =
                    Files.writeString(
                            folder.resolve("session.pem"), stage.egress.authority().orElseThrow());
            var command =
                    new ArrayList<>(
                            List.of(
                                    "/usr/bin/curl",
                                    "-sS",
                                    "--cacert",
                                    trusted.toString(),
                                    "-w",
                                    "%{http_code} %{http_version}",
                                    "--max-time",
                                    "60"));
            command.addAll(List.of(arguments));
            var builder =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectInput(new File("/dev/null"));
            builder.environment().putAll(stage.variables());
            var process = builder.start();
            var output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return output;
        }

        @Override
        public void close() {
            stage.close();
            nginx.close();
        }
    }
}
