// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.json.JsonException;
import dev.writ.daemon.http.Handler;
import dev.writ.daemon.http.Head;
import dev.writ.daemon.http.HttpServer;
import dev.writ.daemon.http.Response;
import dev.writ.trust.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;

/// Answers the console's page: with its files, with a visit for a link, and with what the API has
/// to say, as far as the console needs it.
final class ConsoleHandler implements Handler {
    static final String ENTER = "/enter";
    static final String LEAVE = "/leave";

    private static final int MOST_BODY = 1024;

    private final Handler api;
    private final Visits visits;
    private final Map<String, String> rights;

    /// @param rights header fields that the console has and no page gets to see
    ConsoleHandler(Handler api, Visits visits, Map<String, String> rights) {
        this.api = api;
        this.visits = visits;
        this.rights = Map.copyOf(rights);
    }

    @Override
    public void handle(Head head, InputStream body, Response response) throws IOException {
        if (head.target().startsWith("/v1/")) {
            var fields = new HashMap<>(head.fields());
            fields.putAll(rights);
            api.handle(new Head(head.method(), head.target(), fields), body, response);
        } else if (head.method().equals("GET")) {
            var page = Pages.find(head.target());
            if (page.isPresent()) {
                response.send(200, page.get().fields(), page.get().bytes());
            } else {
                refuse(404, "nothing is there", response);
            }
        } else if (head.target().equals(ENTER)) {
            enter(body.readNBytes(MOST_BODY), response);
        } else if (head.target().equals(LEAVE)) {
            visits.end(ConsoleDoor.visit(head));
            response.send(204, Map.of(), new byte[0]);
        } else {
            refuse(404, "nothing is there", response);
        }
    }

    private void enter(byte[] body, Response response) throws IOException {
        var visit = visits.exchange(link(body));
        if (visit.isEmpty()) {
            refuse(
                    403,
                    "the link was used, is over, or never was one; `writ console` gives a new one",
                    response);
            return;
        }
        byte[] answer = (Json.write(Map.of("visit", visit.get())) + "\n").getBytes(UTF_8);
        response.send(200, "application/json", answer);
    }

    private static String link(byte[] body) {
        try {
            return Json.read(body, MOST_BODY) instanceof Map<?, ?> map
                            && map.get("link") instanceof String link
                    ? link
                    : "";
        } catch (JsonException e) {
            return "";
        }
    }

    private void refuse(int status, String why, Response response) throws IOException {
        response.send(status, HttpServer.PROBLEM, refusal(status, why));
    }

    @Override
    public byte[] refusal(int status, String why) {
        return api.refusal(status, why);
    }
}
