// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.daemon.client.DaemonClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What the daemon says about itself.
///
/// @param fields as in `GET /v1/info`
record DaemonState(Map<String, @Nullable Object> fields) {
    private static final long PAUSE = 10;

    /// Asks it; empty if none answers.
    static Optional<DaemonState> of(World world) {
        try (var client = connect(world)) {
            if (client.get("/v1/info").json() instanceof Map<?, ?> map) {
                var fields = new LinkedHashMap<String, @Nullable Object>();
                map.forEach((name, value) -> fields.put(String.valueOf(name), value));
                return Optional.of(new DaemonState(fields));
            }
        } catch (IOException e) {
            // Nobody is there.
        }
        return Optional.empty();
    }

    static DaemonClient connect(World world) throws IOException {
        return DaemonClient.connect(Path.of(world.config().socket().toString()));
    }

    String text(String name) {
        return String.valueOf(fields.get(name));
    }

    static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
