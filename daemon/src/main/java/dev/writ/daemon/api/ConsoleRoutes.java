// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/// Gives links to the console. Whoever has one can answer questions, so it takes the same secret.
public final class ConsoleRoutes {
    private final Links links;
    private final Operator operator;

    /// Makes a link that is good once.
    public interface Links {
        String next() throws IOException;
    }

    public ConsoleRoutes(Links links, Operator operator) {
        this.links = links;
        this.operator = operator;
    }

    public List<Route> routes() {
        return List.of(Route.post("/v1/console", this::link));
    }

    private void link(Call call) throws IOException {
        operator.check(call, "a link to the console");
        call.fields();
        call.answer(201, Map.of("url", links.next()));
    }
}
