// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.trust.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The running daemon and its contract say the same, spoken to by an HTTP client that is not ours.
class ContractIT {
    private static final String ID = "/v1/sandboxes/{id}";
    private static final String APPROVAL = "/v1/approvals/{id}";
    private static final String ENTRY = "/v1/log/{session}/{entry}";
    private static final String PROCESS = ID + "/processes/{process}";

    @TempDir Path folder;
    private final Contract contract = Contract.read();
    private final Set<String> tried = new TreeSet<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private DaemonWorld world;
    private String base = "";
    private String token = "";

    private String more = "none";

    @BeforeEach
    void start() throws IOException {
        world = new DaemonWorld(folder, OptionalInt.of(0));
        var info = DaemonWorld.object(world.ask("GET", "/v1/info", ""));
        base = String.valueOf(info.get("tcp"));
        token = Files.readString(Path.of(String.valueOf(info.get("token_file")))).strip();
    }

    @AfterEach
    void end() throws IOException {
        http.close();
        world.close();
    }

    @Test
    void what_is_served_is_what_the_contract_says() throws Exception {
        assertThat(world.daemon.operations()).isEqualTo(contract.operations());
    }

    @Test
    void every_operation_answers_as_the_contract_says() throws Exception {
        call("GET", "/v1/info", Map.of(), "", 200);
        call("GET", "/v1/health", Map.of(), "", 200);
        call("GET", "/v1/metrics", Map.of(), "", 200);
        String workspace = "{\"workspace\": \"" + world.workspace + "\"";
        var opened =
                call(
                        "POST",
                        "/v1/sandboxes",
                        Map.of(),
                        workspace
                                + ", \"labels\": {\"a\": \"b\"}, \"ttl_ms\": 60000, \"policy\": {\"allow\":"
                                + " [\"read:/**\", \"write:.\", \"shell:*\"], \"deny\": [\"exec:ls\"]}}",
                        201);
        call("POST", "/v1/sandboxes", Map.of(), "{}", 400);
        call("POST", "/v1/sandboxes", Map.of(), workspace + ", \"profile\": \"nope\"}", 422);
        call("GET", "/v1/sandboxes", Map.of(), "", 200);
        String sandbox = field(opened.getFirst(), "id");
        var id = Map.of("{id}", sandbox);
        call("GET", ID, id, "", 200);
        call("GET", ID, Map.of("{id}", "none"), "", 404);
        call("GET", ID + "/policy", id, "", 200);
        call("GET", ID + "/policy", Map.of("{id}", "none"), "", 404);
        call("POST", ID + "/exec", id, "{\"shell\": \"echo x; echo y > /etc/z; exit 2\"}", 200);
        call("POST", ID + "/exec", id, "{\"argv\": [\"ls\"]}", 200);
        call("POST", ID + "/exec", id, "{}", 400);
        call("POST", ID + "/exec", Map.of("{id}", "none"), "{}", 404);
        var events =
                call(
                        "POST",
                        ID + "/exec",
                        id,
                        "{\"argv\": [\"cat\"], \"tty\": true, \"yield_ms\": 0}",
                        200);
        var process = Map.of("{id}", sandbox, "{process}", field(events.getLast(), "process"));
        call("GET", ID + "/processes", id, "", 200);
        call("GET", PROCESS, process, "", 200);
        call("POST", PROCESS + "/write", process, "{\"text\": \"x\"}", 204);
        call("POST", PROCESS + "/read", process, "{\"wait_ms\": 10}", 200);
        call("POST", PROCESS + "/read", process, "{\"wait_ms\": -1}", 400);
        call("POST", PROCESS + "/resize", process, "{\"rows\": 10, \"columns\": 10}", 204);
        call("POST", PROCESS + "/signal", process, "{\"signal\": \"WINCH\"}", 204);
        call("POST", PROCESS + "/signal", process, "{\"signal\": \"NONE\"}", 400);
        call("POST", PROCESS + "/write", process, "{\"text\": \"\\n\", \"eof\": true}", 204);
        assertThat(
                        call("GET", PROCESS + "/attach", process, "", 200).stream()
                                .map(e -> field(e, "t")))
                .endsWith("exit");
        call("GET", PROCESS + "/attach", process, "", 404);
        events =
                call(
                        "POST",
                        ID + "/exec",
                        id,
                        "{\"argv\": [\"cat\"], \"tty\": true, \"yield_ms\": 0}",
                        200);
        process = Map.of("{id}", sandbox, "{process}", field(events.getLast(), "process"));
        call("DELETE", PROCESS, process, "", 204);
        call("GET", PROCESS, process, "", 404);
        files(sandbox);
        call(
                "POST",
                "/v1/decide",
                Map.of(),
                workspace + ", \"profile\": \"git\", \"action\": \"read:/x\"}",
                200);
        call("POST", "/v1/decide", Map.of(), workspace + ", \"action\": \"what:/x\"}", 400);
        call("POST", "/v1/hook/{agent}", Map.of("{agent}", "claude"), "{}", 200);
        call("POST", "/v1/hook/{agent}", Map.of("{agent}", "nobody"), "{}", 404);
        call("GET", "/v1/events", Map.of("", "?follow=false"), "", 200);
        call("GET", "/v1/events", Map.of("", "?after=x"), "", 400);
        call("GET", "/v1/log", Map.of(), "", 200);
        call("GET", "/v1/log", Map.of("", "?x=y"), "", 400);
        call("POST", "/v1/tokens/show", Map.of(), "{\"token\": \"" + token() + "\"}", 200);
        call("POST", "/v1/tokens/show", Map.of(), "{\"token\": \"x\"}", 400);
        call("POST", "/v1/console", Map.of(), "{}", 403);
        approvals(workspace);
        tokens(workspace);
        call("POST", "/v1/console", Map.of(), "{}", 201);
        call("DELETE", ID, id, "", 204);
        var entry = Map.of("{session}", sandbox, "{entry}", "0");
        assertThat(field(call("GET", ENTRY, entry, "", 200).getFirst(), "proof"))
                .startsWith("c2sp.org/tlog-proof");
        call("GET", ENTRY, Map.of("{session}", sandbox, "{entry}", "99999"), "", 404);
        call("GET", ENTRY, Map.of("{session}", "..", "{entry}", "0"), "", 404);
        call("POST", "/v1/shutdown", Map.of(), "{}", 202);
        world.daemon.await();
        assertThat(tried).isEqualTo(contract.operations());
    }

    private void files(String sandbox) throws Exception {
        var file = Map.of("{id}", sandbox, "", "?path=a.txt");
        var id = Map.of("{id}", sandbox);
        call("PUT", ID + "/files", file, "one\ntwo", 200);
        call("PUT", ID + "/files", Map.of("{id}", sandbox, "", "?path=/etc/z"), "x", 403);
        call("GET", ID + "/files", file, "", 200);
        call("GET", ID + "/files", Map.of("{id}", sandbox, "", "?path=none"), "", 404);
        call("GET", ID + "/files", Map.of("{id}", sandbox, "", "?path=."), "", 409);
        call("GET", ID + "/files", id, "", 400);
        call("POST", ID + "/fs/list", id, "{}", 200);
        call("POST", ID + "/fs/stat", id, "{\"path\": \"a.txt\"}", 200);
        call("POST", ID + "/fs/mkdir", id, "{\"path\": \"x/y\", \"parents\": true}", 204);
        call("POST", ID + "/fs/mkdir", id, "{\"path\": \"x\"}", 409);
        call("POST", ID + "/fs/glob", id, "{\"pattern\": \"**\"}", 200);
        call("POST", ID + "/fs/grep", id, "{\"pattern\": \"t.o\", \"regex\": true}", 200);
        call("POST", ID + "/fs/grep", id, "{\"pattern\": \"(\", \"regex\": true}", 400);
        String edit = "{\"path\": \"a.txt\", \"old\": \"two\", \"new\": \"2\"}";
        call("POST", ID + "/fs/edit", id, edit, 200);
        call("POST", ID + "/fs/edit", id, edit, 409);
        var folder = Map.of("{id}", sandbox, "", "?path=.&exclude=x");
        var archive = call("GET", ID + "/archive", folder, "", 200).getFirst();
        folder = Map.of("{id}", sandbox, "", "?path=.");
        call("PUT", ID + "/archive", folder, String.valueOf(archive), 200);
        call("PUT", ID + "/archive", folder, "x", 400);
        call("GET", ID + "/archive", Map.of("{id}", sandbox, "", "?path=none"), "", 404);
        call("POST", ID + "/fs/rename", id, "{\"from\": \"a.txt\", \"to\": \"b.txt\"}", 204);
        call("DELETE", ID + "/files", Map.of("{id}", sandbox, "", "?path=b.txt"), "", 204);
        call("DELETE", ID + "/files", Map.of("{id}", sandbox, "", "?path=b.txt"), "", 404);
    }

    private void approvals(String workspace) throws Exception {
        var asking =
                call(
                        "POST",
                        "/v1/sandboxes",
                        Map.of(),
                        workspace
                                + ", \"ask_ms\": 60000, \"policy\": {\"allow\": [\"read:/**\","
                                + " \"shell:*\"], \"ask\": [\"exec:ls\"]}}",
                        201);
        var sandbox = Map.of("{id}", field(asking.getFirst(), "id"));
        call("POST", ID + "/exec", sandbox, "{\"argv\": [\"ls\"], \"yield_ms\": 0}", 200);
        var waiting = call("GET", "/v1/approvals", Map.of("", "?after=0&wait_ms=20000"), "", 200);
        call("GET", "/v1/approvals", Map.of("", "?after=x"), "", 400);
        var one = DaemonWorld.list(waiting.getFirst(), "approvals").getFirst();
        var id = Map.of("{id}", field(one, "id"));
        call("GET", APPROVAL, id, "", 200);
        call("GET", APPROVAL, Map.of("{id}", "none"), "", 404);
        String yes = "{\"decision\": \"approve\", \"digest\": \"";
        call("POST", APPROVAL, id, yes + field(one, "digest") + "\"}", 403);
        more = world.approver();
        call("POST", APPROVAL, id, "{\"decision\": \"maybe\", \"digest\": \"\"}", 400);
        call("POST", APPROVAL, id, yes + "0\"}", 409);
        call("POST", APPROVAL, id, yes + field(one, "digest") + "\"}", 200);
        call("POST", APPROVAL, id, yes + field(one, "digest") + "\"}", 404);
        call("DELETE", ID, sandbox, "", 204);
    }

    private void tokens(String workspace) throws Exception {
        var none = Map.<String, String>of();
        call("POST", "/v1/tokens/holders", none, "{\"name\": \"../x\"}", 400);
        call("POST", "/v1/tokens/holders", none, "{\"name\": \"a\"}", 201);
        String given = workspace + ", \"for\": \"a\", \"allow\": [\"read:/usr\", \"write:./x\"]";
        var minted = call("POST", "/v1/tokens/mint", none, given + "}", 201);
        call("POST", "/v1/tokens/mint", none, given + ", \"depth\": 99}", 400);
        String token = "\"token\": \"" + field(minted.getFirst(), "token") + "\"";
        call("POST", "/v1/tokens/narrow", none, given + ", \"by\": \"a\", " + token + "}", 201);
        call("POST", "/v1/tokens/narrow", none, given + ", \"by\": \"b\", " + token + "}", 400);
        String actions = ", \"actions\": [\"write:./x\", \"write:./y\"]";
        call("POST", "/v1/tokens/verify", none, workspace + actions + ", " + token + "}", 200);
        call("POST", "/v1/tokens/verify", none, "{}", 400);
        call(
                "POST",
                "/v1/decide",
                none,
                workspace + ", \"action\": \"write:./y\", " + token + "}",
                200);
        call("POST", "/v1/tokens/challenges", none, "{}", 201);
        call("POST", "/v1/tokens/challenges", none, "{\"x\": 1}", 400);
        String open = workspace + ", \"challenge\": \"x\", \"proof\": \"" + "0".repeat(128) + "\"";
        call("POST", "/v1/sandboxes", none, open + ", " + token + "}", 403);
        call("POST", "/v1/tokens/revoke", none, "{" + token + "}", 204);
        call("POST", "/v1/tokens/revoke", none, "{}", 400);
        more = "none";
        call("POST", "/v1/tokens/revoke", none, "{" + token + "}", 403);
        more = world.approver();
    }

    private String token() {
        return Tokens.twoBlocks(Path.of(world.config.state().toString()), "x").text();
    }

    private static String field(@Nullable Object object, String name) {
        return object instanceof Map<?, ?> map ? String.valueOf(map.get(name)) : "";
    }

    /// @param parts what goes into the path; under an empty name, what follows it
    private List<@Nullable Object> call(
            String method, String path, Map<String, String> parts, String body, int status)
            throws Exception {
        tried.add(method + " " + path);
        String real = path;
        for (var part : parts.entrySet()) {
            real =
                    part.getKey().isEmpty()
                            ? real + part.getValue()
                            : real.replace(part.getKey(), part.getValue());
        }
        var request =
                HttpRequest.newBuilder(URI.create(base + real))
                        .header("authorization", "Bearer " + token)
                        .header("content-type", "application/json")
                        .header("writ-approver", more)
                        .method(method, BodyPublishers.ofString(body))
                        .build();
        var response = http.send(request, BodyHandlers.ofString(UTF_8));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        String type =
                response.headers().firstValue("content-type").orElse("").replaceFirst(";.*", "");
        var values = new ArrayList<@Nullable Object>();
        if (response.body().isEmpty()) {
            values.add(null);
        } else if (type.endsWith("json")) {
            response.body().lines().forEach(l -> values.add(Json.read(l.getBytes(UTF_8), 1 << 20)));
        } else {
            values.add(response.body());
        }
        for (var value : values) {
            assertThat(contract.problems(method, path, status, type, value))
                    .as(method + " " + path + ": " + response.body())
                    .isEmpty();
        }
        return values;
    }
}
