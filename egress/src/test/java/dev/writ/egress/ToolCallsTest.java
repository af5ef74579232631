// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Passage;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Calls of tools by the Model Context Protocol are judged by the name of the tool.
class ToolCallsTest {
    private static final String[] RULES = {
        "allow net:POST=http://allowed.test:GOOD/**",
        "allow net:GET,PUT,PATCH,DELETE,OPTIONS,QUERY=http://allowed.test:GOOD/**",
        "allow net:ws://allowed.test:GOOD/**",
        "allow net:ws://open.test:GOOD/**",
        "allow tool:mcp/open.test/**",
        "allow net:POST=http://free.test:GOOD/**",
        "allow net:127.0.0.1:GOOD",
        "allow tool:mcp/allowed.test/read_*",
        "allow tool:mcp/allowed.test/files/**",
        "deny tool:mcp/allowed.test/read_secret"
    };

    private static String post(String host, String more, String body) {
        return "POST http://%s:GOOD/mcp HTTP/1.1\r\nHost: %s:GOOD\r\n%sContent-Length: %d\r\n\r\n%s"
                .formatted(host, host, more, body.getBytes(StandardCharsets.UTF_8).length, body);
    }

    private static String post(String body) {
        return post("allowed.test", "Content-Type: application/json\r\n", body);
    }

    private static String call(String name) {
        return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":{\"t\":0.5e3,\"deep\":[{\"name\":\"x\",\"method\":\"y\"}]}}}"
                .formatted(name);
    }

    @Test
    void a_tool_that_a_rule_allows_is_called_and_another_is_answered_by_us() {
        try (var stage = new Stage(RULES)) {
            assertThat(stage.ask(post(call("read_file"))))
                    .startsWith(Stage.OK)
                    .contains("/mcp {\"jsonrpc\"");
            assertThat(stage.ask(post(call("files/a/list")))).contains("/mcp {\"jsonrpc\"");
            assertThat(stage.ask(post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")))
                    .contains("/mcp {");
            assertThat(stage.ask(post("").replace("Content-Length: 0\r\n", "")))
                    .as("nothing at all")
                    .startsWith(Stage.OK);
            assertThat(stage.good.heads()).hasSize(4);

            for (var name : List.of("delete", "read_secret", "filesystem", "READ_file")) {
                assertThat(stage.ask(post(call(name))))
                        .as(name)
                        .startsWith(Stage.OK)
                        .contains(
                                "\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32003",
                                "\"capability\":\"tool:mcp/allowed.test/" + name + "\"");
            }
            assertThat(stage.good.heads()).hasSize(4);
            assertThat(stage.refusals()).hasSize(4);
            assertThat(
                            stage.log.events().stream()
                                    .filter(AuditEvent.Judged.class::isInstance)
                                    .map(AuditEvent::toString)
                                    .filter(e -> e.contains("read_file")))
                    .hasSize(1);
        }
    }

    @Test
    void of_a_list_all_go_or_none() {
        try (var stage = new Stage(RULES)) {
            String good = call("read_a");
            assertThat(stage.ask(post("[" + good + "," + call("read_b") + "]")))
                    .contains("/mcp [{");
            String answer =
                    stage.ask(
                            post(
                                    "["
                                            + good.replace("7", "\"o\\u006ee\"")
                                            + ","
                                            + call("delete").replace("7", "8.5")
                                            + ",{\"jsonrpc\":\"2.0\",\"method\":\"notify\"}]"));
            assertThat(answer)
                    .startsWith(Stage.OK)
                    .contains("[{\"jsonrpc\":\"2.0\",\"id\":\"one\",\"error\"", "\"id\":8.5,");
            assertThat(stage.ask(post(call("delete").replace("\"id\":7,", ""))))
                    .as("nobody waits for an answer to this")
                    .startsWith("HTTP/1.1 403");
            assertThat(stage.good.heads()).hasSize(1);
        }
    }

    /// Each of these some server reads as a call of `delete`.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"method\":\"tools/call\",\"params\":{\"name\":\"read_a\",\"name\":\"delete\"}}",
                "{\"method\":\"x\",\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}",
                "{\"Method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}",
                "{\"method\":\"tools/call\",\"param\u017f\":{\"name\":\"delete\"}}",
                "{\"method\":\"tools/call\",\"params\":{\"name\":\"read_a\",\"NAME\":\"delete\"}}",
                "{\"method\":\"tools/call\",\"params\":[\"delete\"]}",
                "{\"method\":\"tools/call\",\"params\":{\"name\":[\"delete\"]}}",
                "{\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}}",
                "{\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"},}",
                "// x\n{\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}",
                "\ufeff{\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}",
                "{'method':'tools/call','params':{'name':'delete'}}",
                "[[{\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}]]",
                "{\"method\":\"tools/call\",\"params\":{\"name\":\"read_a/../delete\\u0000\"}}",
                "{\"method\":\"tools/call\",\"params\":{\"name\":\"read_a\\n\"}}",
                "{\"method\":\"tools/call\",\"id\":{},\"params\":{\"name\":\"delete\"}}",
                "{\"method\":\"Tools/Call\",\"params\":{\"name\":\"delete\"}}",
                "{\"method\":\" tools/call\",\"params\":{\"name\":\"delete\"}}",
                "method=tools/call",
                "\u0000{\u0000}"
            })
    void what_servers_read_differently_is_refused(String body) {
        try (var stage = new Stage(RULES)) {
            var bytes =
                    new String(body.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            for (var type : List.of("Content-Type: application/json\r\n", "")) {
                String request =
                        "POST http://allowed.test:GOOD/mcp HTTP/1.1\r\nHost: allowed.test:GOOD\r\n%sContent-Length: %d\r\n\r\n%s"
                                .formatted(type, bytes.length(), bytes);
                assertThat(stage.ask(request))
                        .startsWith("HTTP/1.1 400")
                        .contains("rules speak of the tools of this host");
            }
            assertThat(stage.good.heads()).isEmpty();
        }
    }

    @Test
    void a_form_passes_unless_it_is_one_by_name_only() {
        try (var stage = new Stage(RULES)) {
            String form = "Content-Type: application/x-www-form-urlencoded\r\n";
            assertThat(stage.ask(post("allowed.test", form, "grant_type=code")))
                    .contains("/mcp grant_type=code");
            assertThat(stage.ask(post("allowed.test", form, " " + call("delete"))))
                    .contains("-32003");
            assertThat(stage.ask(post("allowed.test", "Content-Type: text/plain\r\n", call("x"))))
                    .contains("-32003");
            assertThat(stage.ask(post("allowed.test", form, "/**/" + call("delete"))))
                    .startsWith("HTTP/1.1 400");
            assertThat(stage.good.heads()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"})
    void a_body_is_looked_at_whatever_the_method(String method) {
        try (var stage = new Stage(RULES)) {
            assertThat(stage.ask(post(call("delete")).replace("POST", method))).contains("-32003");
            assertThat(stage.good.heads()).isEmpty();
            assertThat(stage.ask(post(call("read_a")).replace("POST", method))).contains("/mcp {");
            String empty =
                    method
                            + " http://allowed.test:GOOD/mcp HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n";
            assertThat(stage.ask(empty)).startsWith(Stage.OK);
        }
    }

    @Test
    void no_tool_is_called_in_a_websocket_where_some_are_denied() {
        try (var stage = new Stage(RULES)) {
            String upgrade =
                    "GET http://HOST:GOOD/mcp HTTP/1.1\r\nHost: HOST:GOOD\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
            assertThat(stage.ask(upgrade.replace("HOST", "allowed.test")))
                    .startsWith("HTTP/1.1 400")
                    .contains("WebSocket");
            assertThat(stage.good.heads()).isEmpty();
            assertThat(stage.ask(upgrade.replace("HOST", "open.test")))
                    .doesNotContain("rules speak");
        }
    }

    @Test
    void what_cannot_be_looked_at_is_refused() {
        try (var stage = new Stage(RULES)) {
            String packed = "Content-Encoding: gzip\r\n";
            assertThat(stage.ask(post("allowed.test", packed, call("read_a"))))
                    .startsWith("HTTP/1.1 400")
                    .contains("compressed");
            String large = "{\"x\":\"" + "x".repeat(ToolCalls.MOST_BYTES) + "\"}";
            assertThat(stage.ask(post(large))).startsWith("HTTP/1.1 400").contains("1048576");
            assertThat(stage.good.heads()).isEmpty();
        }
    }

    /// In UTF-7 this calls `delete`, and so says the type to servers that heed it.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json; charset=utf-7",
                "application/json;charset=\"UTF-7\"",
                "application/json; x=1 ;CharSet = utf-7",
                "application/json; charset=utf-8; charset=utf-7",
                "application/json; charset=utf-8\r\nContent-Type: application/json; charset=utf-7",
                "application/x-www-form-urlencoded\r\nContent-Type: application/json",
                "application/x-www-form-urlencoded; charset=utf-7",
                "application/json; charset=cp037",
                "application/json charset=utf-16",
                "application/json; charset*=utf-7''x"
            })
    void letters_that_a_server_reads_differently_are_refused(String type) {
        try (var stage = new Stage(RULES)) {
            String hidden = "{\"method\":\"+AHQ-ools/call\",\"params\":{\"name\":\"delete\"}}";
            assertThat(stage.ask(post("free.test", "Content-Type: " + type + "\r\n", hidden)))
                    .as("it is there to be refused")
                    .contains("+AHQ-ools/call");
            assertThat(stage.ask(post("allowed.test", "Content-Type: " + type + "\r\n", hidden)))
                    .startsWith("HTTP/1.1 400")
                    .contains("in UTF-8");
            assertThat(stage.good.heads()).hasSize(1);
            for (var good : List.of("; charset=utf-8", ";charset=\"UTF-8\"; x=y", " ; x=y", "")) {
                String plain = "Content-Type: application/json" + good + "\r\n";
                assertThat(stage.ask(post("allowed.test", plain, call("read_a"))))
                        .as(good)
                        .contains("/mcp {");
            }
        }
    }

    @Test
    void hosts_that_no_rule_for_tools_speaks_of_are_not_looked_at() {
        try (var stage = new Stage(RULES)) {
            String large = "x".repeat(ToolCalls.MOST_BYTES + 1);
            assertThat(stage.ask(post("free.test", "", call("delete")))).contains("/mcp {");
            assertThat(stage.ask(post("free.test", "", large).replace("/mcp", "/redirect")))
                    .startsWith("HTTP/1.1 302");
        }
    }

    @Test
    void a_connection_goes_on_after_a_refusal_and_a_body_in_chunks_is_read() throws Exception {
        try (var stage = new Stage(RULES);
                var socket = stage.announce("allowed.test", stage.good.port())) {
            String head =
                    "POST /mcp HTTP/1.1\r\nHost: allowed.test:%d\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
                            .formatted(stage.good.port());
            for (var name : List.of("delete", "read_a", "delete", "read_b")) {
                var out = socket.getOutputStream();
                out.write(head.getBytes(StandardCharsets.US_ASCII));
                assertThat(Stage.readUntil(socket, "\r\n\r\n")).startsWith("HTTP/1.1 100");
                String body = call(name);
                String cut =
                        "5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n"
                                .formatted(
                                        body.substring(0, 5), body.length() - 5, body.substring(5));
                assertThat(Stage.exchange(socket, cut))
                        .contains(name.equals("delete") ? "-32003" : "/mcp {\"jsonrpc\"");
            }
            assertThat(stage.good.heads()).hasSize(2).noneMatch(h -> h.contains("Expect"));
        }
    }

    @Test
    void it_is_the_same_inside_tls(@TempDir Path folder) {
        try (var secure =
                new SecureStage(
                        folder,
                        Map.of("AAAA", List.of("https://allowed.test:GOOD", "X-Key: {}")),
                        "allow tool:mcp/allowed.test/read_*")) {
            String post =
                    "POST /v1/mcp HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: %d\r\n\r\n%s";
            assertThat(secure.ask(post.formatted(call("read_a").length(), call("read_a"))))
                    .contains("/v1/mcp {\"jsonrpc\"");
            assertThat(secure.ask(post.formatted(call("delete").length(), call("delete"))))
                    .contains("-32003");
            assertThat(secure.stage.good.heads())
                    .singleElement()
                    .satisfies(head -> assertThat(head).containsIgnoringCase("x-key: AAAAAAAA"));
        }
    }

    @Test
    void a_server_that_is_not_there_is_said_to_be_not_there() {
        try (var stage =
                new Stage(
                        Approver.nobody(),
                        Bounds.DEFAULT,
                        "allow net:POST=http://nowhere.test:GOOD/**",
                        "allow tool:mcp/nowhere.test/*")) {
            assertThat(stage.ask(post("nowhere.test", "", call("x")))).startsWith("HTTP/1.1 502");
        }
    }

    @Test
    void a_rule_for_tools_of_a_host_makes_its_connections_looked_into() {
        assertThat(passage("net:https://a.test", "tool:mcp/b.test/x")).isEqualTo(Passage.TLS);
        assertThat(passage("net:https://a.test", "tool:**")).isEqualTo(Passage.TLS);
        assertThat(passage("net:https://a.test", "tool:mcp/a.test/x")).isEqualTo(Passage.REQUESTS);
        assertThat(passage("net:https://a.test", "tool:mcp/*/x")).isEqualTo(Passage.REQUESTS);
        assertThat(passage("net:https://a.test", "tool:mcp/**")).isEqualTo(Passage.REQUESTS);
        assertThat(passage("net:a.test", "tool:mcp/a.test/x")).isEqualTo(Passage.REQUESTS);
        assertThat(passage("net:a.test:443", "tool:mcp/a.test/x"))
                .as("opened for whatever bytes, but a deny holds")
                .isEqualTo(Passage.REQUESTS);
        assertThat(passage("net:a.test:443", "ALLOW", "tool:mcp/a.test/x"))
                .as("opened for whatever bytes")
                .isEqualTo(Passage.ANYTHING);
    }

    private static Passage passage(String net, String tool) {
        return passage(net, "DENY", tool);
    }

    private static Passage passage(String net, String effect, String tool) {
        var rules =
                Stream.of("ALLOW " + net, effect + " " + tool)
                        .map(
                                text ->
                                        new Rule(
                                                Effect.valueOf(text.split(" ")[0]),
                                                Capability.parse(
                                                        text.split(" ")[1], Scope.SPELLED_OUT),
                                                text.split(" ")[1],
                                                Source.of("test")))
                        .toList();
        var policy = Policy.of(Scope.SPELLED_OUT, rules, List.of());
        if (Passage.of(policy, Host.parse("a.test", 0), 443) == Passage.REQUESTS) {
            assertThat(Passage.looksIntoTls(policy)).isTrue();
        }
        return Passage.of(policy, Host.parse("a.test", 0), 443);
    }
}
