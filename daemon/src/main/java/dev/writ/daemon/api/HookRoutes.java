// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.daemon.hook.CodingAgent;
import dev.writ.daemon.hook.Hook;
import java.io.IOException;
import java.util.List;

/// For coding agents that ask before they use a tool.
public final class HookRoutes {
    private final Hook hook;

    public HookRoutes(Hook hook) {
        this.hook = hook;
    }

    public List<Route> routes() {
        return List.of(Route.post("/v1/hook/{agent}", this::answer));
    }

    private void answer(Call call) throws IOException {
        String word = call.part("agent");
        var agent = CodingAgent.of(word).orElseThrow(() -> ApiException.notFound("agent", word));
        var answer = hook.answer(agent, call.json());
        call.response().send(200, "text/plain; charset=utf-8", answer.text().getBytes(UTF_8));
    }
}
