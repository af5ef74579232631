// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.net.httpserver.HttpServer;
import dev.writ.trust.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The console in a real browser, with a real daemon, real sandboxes, and pages that mean no good.
class ConsoleIT {
    /// Would run, and would be seen, if it became anything but text.
    private static final String MARKUP =
            "<img src=x onerror=window.pwned=1><script>window.pwned=2</script>\"'><svg"
                    + " onload=window.pwned=3>javascript:window.pwned=4";

    private static final String INVISIBLE = "a\u202eb\u200bc\u0007d";
    private static final String NEUTRAL = "a\\u{202e}b\\u{200b}c\\u{7}d";

    @TempDir Path folder;
    private DaemonWorld world;
    private Browser browser;

    @BeforeEach
    void start() throws Exception {
        assumeFalse(Browser.installed().isEmpty(), "no chromium is installed");
        world = new DaemonWorld(folder, OptionalInt.empty());
        browser = new Browser(folder.resolve("browser"));
    }

    @AfterEach
    void end() throws IOException {
        if (browser != null) {
            browser.close();
        }
        if (world != null) {
            world.close();
        }
    }

    /// A sandbox in which `env` and `printf` are asked about.
    private String scene() throws IOException {
        return world.open(
                Map.of(
                        "allow",
                        List.of("read:/**", "shell:*"),
                        "ask",
                        List.of("exec:env", "exec:printf")));
    }

    private String link() throws IOException {
        try (var client = world.client().with("writ-approver", world.approver())) {
            var answer = client.ask("POST", "/v1/console", "{}");
            return String.valueOf(DaemonWorld.object(answer).get("url"));
        }
    }

    private void start(String sandbox, String script) throws IOException {
        world.exec(sandbox, Map.of("shell", script + "; echo ended", "yield_ms", 0L));
    }

    private void enter() throws Exception {
        browser.go(link());
        browser.await("document.querySelector('.link.works') !== null");
    }

    /// Waits for so many questions that can be answered.
    private void awaitQuestions(int count) throws Exception {
        browser.await(
                "document.querySelectorAll('.question:not(.settled)').length === "
                        + count
                        + " && document.querySelectorAll('.moving, .settled').length === 0");
    }

    private void awaitAnswered() throws Exception {
        browser.await("document.querySelectorAll('.question:not(.settled)').length === 0");
    }

    private String output(String sandbox) throws IOException {
        var answer =
                world.ask(
                        "POST",
                        "/v1/sandboxes/" + sandbox + "/processes/p1/read",
                        "{\"wait_ms\": 20000}");
        var text = new StringBuilder(answer.body());
        for (int i = 0; i < 20 && !text.toString().contains("\"over\": true"); i++) {
            long after = text.toString().split("\"seq\"", -1).length - 1L;
            text.append(
                    world.ask(
                                    "POST",
                                    "/v1/sandboxes/" + sandbox + "/processes/p1/read",
                                    "{\"wait_ms\": 2000, \"after_seq\": " + after + "}")
                            .body());
        }
        return text.toString();
    }

    @Test
    void a_question_is_approved_by_key_and_the_program_goes_on() throws Exception {
        var sandbox = scene();
        start(sandbox, "env printf it-ran");
        enter();
        awaitQuestions(1);
        assertThat(browser.run("document.querySelector('.question').innerText"))
                .contains("exec:/usr/bin/env printf it-ran")
                .contains("exec:env")
                .contains(world.workspace.toString())
                .contains(sandbox);
        browser.press("a");
        // What it starts is asked about, too: once is once.
        browser.await(
                "document.querySelector('.question:not(.settled)')?.innerText.includes('exec:/usr/bin/printf')");
        awaitQuestions(1);
        browser.press("s");
        awaitAnswered();
        assertThat(output(sandbox)).contains("it-ran").contains("ended");
    }

    /// What an agent pads is on the screen before it is approved, to its end.
    @Test
    void what_is_longer_than_its_box_is_approved_after_its_end_was_seen() throws Exception {
        var sandbox = scene();
        start(sandbox, "env $(seq 20000 | sed s/^/A=/) printf it-ran");
        enter();
        awaitQuestions(1);
        for (var key : List.of("a", "s", "A")) {
            browser.press(key);
        }
        assertThat(browser.run("document.querySelector('.question:not(.settled)').innerText"))
                .contains("printf it-ran");
        assertThat(browser.run("document.querySelector('.preview').hidden")).isEqualTo("true");
        assertThat(browser.run("document.getElementById('say').textContent")).contains("more");
        browser.run("document.querySelector('.object').scrollTo(0, 1e9)");
        browser.press("a");
        browser.await(
                "document.querySelector('.question:not(.settled)')?.innerText.includes('exec:/usr/bin/printf')");
        awaitQuestions(1);
        browser.press("r");
        awaitAnswered();
    }

    @Test
    void what_may_look_like_something_else_is_named() throws Exception {
        var sandbox = scene();
        start(sandbox, "env \u0430=1 /\u0338x");
        enter();
        awaitQuestions(1);
        assertThat(browser.run("document.querySelector('.question').innerText"))
                .contains("U+0430")
                .contains("/\\u{338}x")
                .doesNotContain("\u0338");
        browser.press("r");
        awaitAnswered();
    }

    @Test
    void a_question_is_refused_and_the_program_does_not_run() throws Exception {
        var sandbox = scene();
        start(sandbox, "env printf it-ran");
        enter();
        awaitQuestions(1);
        browser.run("document.querySelector('button.no').click()");
        awaitAnswered();
        assertThat(output(sandbox)).doesNotContain("\"it-ran").contains("ended");
    }

    @Test
    void always_shows_the_line_before_it_is_added() throws Exception {
        var sandbox = scene();
        start(sandbox, "env --version");
        enter();
        awaitQuestions(1);
        browser.press("A");
        browser.await("!document.querySelector('.preview').hidden");
        assertThat(browser.run("document.querySelector('.diff').innerText"))
                .contains("+ exec:/usr/bin/env --version")
                .contains("approvals");
        assertThat(DaemonWorld.list(world.ask("GET", "/v1/approvals", "").json(), "approvals"))
                .hasSize(1);
        browser.run("document.querySelector('.preview button.yes').click()");
        awaitAnswered();
        assertThat(output(sandbox)).contains("ended");
        var again = world.exec(sandbox, Map.of("argv", List.of("env", "--version")));
        assertThat(DaemonWorld.code(again)).isZero();
    }

    @Test
    void what_has_just_come_cannot_be_answered_by_a_key_that_was_meant_for_another()
            throws Exception {
        var sandbox = scene();
        start(sandbox, "env --help");
        start(sandbox, "env --version");
        enter();
        awaitQuestions(2);
        browser.press("a");
        browser.press("a");
        browser.await("document.querySelectorAll('.question.settled').length > 0");
        awaitQuestions(1);
        assertThat(DaemonWorld.list(world.ask("GET", "/v1/approvals", "").json(), "approvals"))
                .hasSize(1);
    }

    @Test
    void the_timeline_is_live() throws Exception {
        var sandbox = scene();
        enter();
        browser.run("location.hash = '#/sessions/" + sandbox + "'");
        browser.await("document.querySelector('.timeline') !== null");
        assertThat(browser.run("document.body.innerText")).doesNotContain("live-mark");
        world.shell(sandbox, "echo x > /etc/live-mark");
        browser.await(
                "[...document.querySelectorAll('.event.deny')].some(e =>"
                        + " e.innerText.includes('write:/etc/live-mark'))");
    }

    @Test
    void a_link_leads_in_once_and_leaves_nothing_in_the_address() throws Exception {
        var link = link();
        browser.go(link);
        browser.await("document.querySelector('.link.works') !== null");
        String secret = link.substring(link.indexOf('#') + 1);
        assertThat(browser.run("location.href")).doesNotContain(secret);
        assertThat(browser.run("document.cookie")).isEmpty();
        // Reloading stays inside; the link does not lead in again, nor does one that never was.
        browser.run("(location.reload(), 1)");
        browser.await("document.querySelector('.link.works') !== null");
        for (var bad : List.of(link, link.substring(0, link.length() - 64) + "0".repeat(64))) {
            browser.run("(sessionStorage.clear(), 1)");
            browser.go("about:blank");
            browser.go(bad);
            browser.await("document.querySelector('.gate') !== null");
            assertThat(browser.run("document.querySelector('.gate').innerText"))
                    .contains("does not lead in")
                    .contains("writ console");
        }
    }

    @Test
    void a_visit_can_be_ended() throws Exception {
        enter();
        var visit = browser.run("sessionStorage.getItem('writ-visit')");
        browser.run("document.getElementById('leave').click()");
        browser.await("document.querySelector('.gate') !== null");
        assertThat(
                        browser.run(
                                "fetch('/v1/info', {headers: {authorization: 'Bearer "
                                        + visit
                                        + "'}}).then(r => r.status)"))
                .isEqualTo("401");
    }

    @Test
    void the_page_cannot_do_what_it_does_not_need() throws Exception {
        enter();
        assertThat(call("POST", "/v1/decide", "{}")).isEqualTo("400"); // the control
        assertThat(call("POST", "/v1/sandboxes", "{}")).isEqualTo("405");
        assertThat(call("POST", "/v1/shutdown", "{}")).isEqualTo("404");
        assertThat(call("POST", "/v1/console", "{}")).isEqualTo("404");
        assertThat(call("DELETE", "/v1/sandboxes/x", "")).isEqualTo("405");
    }

    private String call(String method, String path, String body) throws Exception {
        return browser.run(
                "fetch('"
                        + path
                        + "', {method: '"
                        + method
                        + "', headers: {'content-type': 'application/json', 'writ-console': '1',"
                        + " authorization: 'Bearer ' + sessionStorage.getItem('writ-visit')}"
                        + (body.isEmpty() ? "" : ", body: '" + body + "'")
                        + "}).then(r => r.status)");
    }

    @Test
    void another_page_can_neither_answer_nor_look() throws Exception {
        var sandbox = scene();
        start(sandbox, "env --help");
        enter();
        awaitQuestions(1);
        String origin = browser.run("location.origin");
        String visit = browser.run("sessionStorage.getItem('writ-visit')");
        try (var evil = new OtherPage()) {
            browser.go(evil.url());
            browser.await("location.href === '" + evil.url() + "'");
            String post = origin + "/v1/approvals/q1";
            // The control: it does reach a server that looks at nothing.
            try (var naive = new OtherPage()) {
                browser.run(
                        "fetch('"
                                + naive.url()
                                + "', {method: 'POST', body: '{}', mode: 'no-cors'})");
                assertThat(naive.posts.get()).isEqualTo(1);
            }
            // Even with the visit, which it cannot know.
            for (var options :
                    List.of(
                            "{method: 'POST', body: '{}'}",
                            "{method: 'POST', body: '{}', mode: 'no-cors', credentials: 'include'}",
                            "{credentials: 'include'}",
                            "{headers: {authorization: 'Bearer " + visit + "'}}",
                            "{method: 'POST', body: '{}', headers: {authorization: 'Bearer "
                                    + visit
                                    + "', 'writ-console': '1', 'content-type':"
                                    + " 'application/json'}}")) {
                assertThat(
                                browser.run(
                                        "fetch('"
                                                + post
                                                + "', "
                                                + options
                                                + ").then(r => 'read ' + r.status + r.type, () =>"
                                                + " 'refused')"))
                        .isIn("refused", "read 0opaque");
            }
            assertThat(
                            browser.run(
                                    "new Promise(done => { const s ="
                                            + " document.createElement('script'); s.onload = () =>"
                                            + " done('loaded'); s.onerror = () => done('refused');"
                                            + " s.src = '"
                                            + origin
                                            + "/app.js'; document.body.append(s); })"))
                    .isEqualTo("refused");
            browser.run(
                    "(() => { const f = document.createElement('form'); f.method = 'POST'; f.action"
                            + " = '"
                            + post
                            + "'; f.enctype = 'text/plain'; const i ="
                            + " document.createElement('input'); i.name ="
                            + " '{\"decision\":\"approve\",\"x\":\"'; i.value = '\"}'; f.append(i);"
                            + " document.body.append(f); f.submit(); return 1; })()");
            browser.await("document.body.innerText.includes('not let in')");
        }
        assertThat(DaemonWorld.list(world.ask("GET", "/v1/approvals", "").json(), "approvals"))
                .hasSize(1);
    }

    @Test
    void another_name_for_this_machine_is_not_the_console() throws Exception {
        String link = link();
        String port = link.replaceFirst("http://127.0.0.1:", "").replaceFirst("/.*", "");
        browser.close();
        browser =
                new Browser(
                        folder.resolve("rebound"),
                        "--host-resolver-rules=MAP rebound.example 127.0.0.1");
        // The control: the name does lead to this machine.
        try (var evil = new OtherPage()) {
            browser.go(evil.url().replace("127.0.0.1", "rebound.example"));
            browser.await("document.body?.innerText === 'another page'");
        }
        browser.go("http://rebound.example:" + port + "/");
        browser.await("document.body?.innerText.includes('421')");
        browser.go("http://localhost:" + port + "/");
        browser.await("document.body?.innerText.includes('421')");
    }

    @Test
    void nothing_that_an_agent_names_becomes_more_than_text() throws Exception {
        var workspace = Files.createDirectories(folder.resolve("w<b onclick=x>" + INVISIBLE));
        try (var server = new OtherPage()) {
            // The control: in a page that takes it as markup, it runs.
            browser.go(server.url());
            browser.await("document.body?.innerText === 'another page'");
            browser.run("(document.body.innerHTML = " + Json.write(MARKUP) + ", 1)");
            browser.await("window.pwned !== undefined");
            var sandbox = hostile(server, workspace);
            enter();
            awaitQuestions(1);
            seen("inbox", "<img src=x onerror=window.pwned=1>", NEUTRAL, "w<b onclick=x>", "<i>X");
            seen("sessions", "<script>window.pwned=2</script>", NEUTRAL, "label=" + MARKUP);
            browser.run("(document.querySelectorAll('.event').forEach(e => e.open = true), 1)");
            seen("", "javascript:window.pwned=4", NEUTRAL);
            seen("egress", "127.0.0.1");
            browser.run("(document.querySelectorAll('.host').forEach(e => e.open = true), 1)");
            seen("", "/path?<svg/onload=window.pwned=5>".substring(0, 6), "window.pwned=5");
            seen("policy", "read:/etc/<u>rule");
            browser.run(
                    "(document.querySelector('.explain input').value = 'read:/etc/"
                            + "<img src=x onerror=window.pwned=6>',"
                            + " document.querySelector('.explain button').click(), 1)");
            seen("", "onerror=window.pwned=6");
            world.ask("DELETE", "/v1/sandboxes/" + sandbox, "");
            seen("record", "verified");
            seen("tokens", "No token yet");
            browser.run(
                    "(document.querySelector('textarea').value = '"
                            + Tokens.twoBlocks(
                                            Path.of(world.config.state().toString()),
                                            "<img src=x onerror=window.pwned=7>")
                                    .text()
                            + "', document.querySelector('.paste button').click(), 1)");
            seen("", "for <img src=x onerror=window.pwned=7>");
        }
    }

    private String hostile(OtherPage server, Path workspace) throws IOException {
        var policy =
                Map.of(
                        "version",
                        1L,
                        "allow",
                        List.of(
                                "read:/**",
                                "shell:*",
                                "read:/etc/<u>rule",
                                "net:GET=" + server.url() + "**"),
                        "ask",
                        List.of("exec:env"));
        var labels = Map.of("label", MARKUP, "principal", "<i>X" + INVISIBLE);
        var sandbox = world.open(workspace, policy, labels);
        world.exec(
                sandbox,
                Map.of(
                        "argv",
                        List.of("curl", "-s", server.url() + "path?<svg/onload=window.pwned=5>")));
        world.exec(sandbox, Map.of("argv", List.of("cat", "/" + MARKUP, INVISIBLE)));
        world.exec(sandbox, Map.of("argv", List.of("env", MARKUP, INVISIBLE), "yield_ms", 0L));
        return sandbox;
    }

    /// In a view, or in the one at hand, these are there as text, and nothing has run.
    private void seen(String view, String... texts) throws Exception {
        if (!view.isEmpty()) {
            browser.run("(location.hash = '#/" + view + "', 1)");
        }
        for (var text : texts) {
            browser.await(
                    "document.getElementById('main').textContent.includes("
                            + Json.write(text)
                            + ")");
        }
        assertThat(browser.run("window.pwned")).isEqualTo("undefined");
        assertThat(
                        browser.run(
                                "document.querySelectorAll('main script, main img, main svg, main u, main i').length"))
                .isEqualTo("0");
        assertThat(
                        browser.run(
                                "/[\\u202e\\u200b\\u0007]/.test(document.documentElement.textContent)"))
                .isEqualTo("false");
    }

    @Test
    void no_script_or_style_runs_that_is_not_a_file_of_the_console() throws Exception {
        enter();
        var headers =
                browser.run(
                        "fetch('/').then(r => [...r.headers].map(h => h.join(': ')).join('\\n'))");
        assertThat(headers)
                .contains("default-src 'none'")
                .contains("script-src 'self'")
                .contains("frame-ancestors 'none'")
                .contains("form-action 'none'")
                .contains("base-uri 'none'")
                .contains("referrer-policy: no-referrer")
                .contains("x-content-type-options: nosniff")
                .contains("cross-origin-opener-policy: same-origin")
                .contains("cross-origin-resource-policy: same-origin")
                .contains("cache-control: no-store");
        // Even somebody who could write into the page could not make it run.
        assertThat(browser.run("(() => { document.body.innerHTML = '<b>x'; return 1; })()"))
                .contains("TrustedHTML");
        browser.run(
                "(() => { const b = document.createElement('button'); b.setAttribute('onclick',"
                        + " 'window.pwned=1'); document.body.append(b); b.click(); return 1; })()");
        browser.run(
                "(() => { const i = document.createElement('img'); i.src ="
                        + " 'http://127.0.0.1:1/x'; document.body.append(i); return 1; })()");
        assertThat(browser.run("window.pwned")).isEqualTo("undefined");
        assertThat(browser.run("fetch('http://127.0.0.1:1/').then(() => 'sent', e => e.message)"))
                .isNotEqualTo("sent");
    }

    /// A web server of somebody else on this machine.
    private static final class OtherPage implements AutoCloseable {
        private final HttpServer server;
        private final AtomicInteger posts = new AtomicInteger();

        OtherPage() throws IOException {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
            server.createContext(
                    "/",
                    exchange -> {
                        if (exchange.getRequestMethod().equals("POST")) {
                            posts.incrementAndGet();
                        }
                        byte[] body = "<!doctype html><body>another page".getBytes(UTF_8);
                        exchange.getResponseHeaders().set("content-type", "text/html");
                        exchange.sendResponseHeaders(200, body.length);
                        exchange.getResponseBody().write(body);
                        exchange.close();
                    });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
