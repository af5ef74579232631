// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Effect;
import dev.writ.egress.Resolver;
import dev.writ.runtime.Config;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.WayOut;
import dev.writ.runtime.Writ;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// Writ's own proxy, both ways: the one that programs are told of, as `writ proxy` opens it, and
/// that of the session in which the agent's program runs. Both have the rules of the group; the
/// session may reach the other one besides.
final class SessionProxy implements Harness.Proxy {
    private static final int TIME_OVER = 124;
    private static final String SECRET = "PROBE_SECRET";
    private static final String PLACEHOLDER = "CC_PLACEHOLDER";

    private final Harness.Surroundings around;
    private final FilePath folder;
    private final WayOut told;
    private final AtomicBoolean ended = new AtomicBoolean();

    SessionProxy(Harness.Surroundings around) {
        this.around = around;
        this.folder = FilePath.of(around.place().folder().toString());
        this.told =
                WayOut.open(
                        loader().load(),
                        Optional.empty(),
                        Approver.nobody(),
                        SessionNames.next(),
                        "probe",
                        folder,
                        Map.of(SECRET, around.secret()),
                        new InMemoryAuditLog(),
                        around.resolver());
    }

    /// What the proxy puts into requests to the host that is allowed.
    private Path secret() {
        var file = around.policy().resolveSibling("secret.yaml");
        try {
            Files.writeString(
                    file,
                    """
                    version: 1
                    secrets:
                      probe:
                        from: env:%s
                        to: http://allowed.test:%s
                        as: "Authorization: Bearer {}"
                        env: %s
                    """
                            .formatted(SECRET, around.ports().get("HTTP"), PLACEHOLDER));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    private PolicyLoader loader() {
        Path state = around.policy().resolveSibling("record");
        var config =
                Config.of(
                        around.place().folder(),
                        Map.of(
                                "PATH", "/usr/bin:/bin",
                                "HOME", "/nowhere",
                                "WRIT_HOME", state.toString()));
        return new PolicyLoader(config.scope(folder), config.ownFolders())
                .file(around.policy(), "probe")
                .file(secret(), "probe");
    }

    private String url() {
        return Optional.ofNullable(told.variables().get("HTTP_PROXY")).orElseThrow();
    }

    @Override
    public Map<String, String> variables() {
        var placeholder = Optional.ofNullable(told.variables().get(PLACEHOLDER)).orElseThrow();
        return Map.of("PROXY", url(), "INSIDE", "1", PLACEHOLDER, placeholder);
    }

    @Override
    public Optional<String> run(List<String> command, Duration limit) throws InterruptedException {
        var policy =
                loader().rule(Effect.ALLOW, "net:127.0.0.1:" + URI.create(url()).getPort(), folder)
                        .rule(
                                Effect.ALLOW,
                                "net:127.0.0.1:" + around.ports().get("CONTROL"),
                                folder)
                        .limit("time=" + limit.toSeconds() + "s")
                        .load();
        Resolver resolver = around.resolver();
        var writ =
                new Writ(Map.of("LANG", "C.UTF-8", SECRET, around.secret())).resolvingBy(resolver);
        try (var session = writ.open(policy, folder)) {
            var outcome = session.run(command);
            return outcome.exitCode() == TIME_OVER
                    ? Optional.empty()
                    : Optional.of(outcome.output() + outcome.errors());
        }
    }

    @Override
    public void end() {
        if (!ended.getAndSet(true)) {
            told.close();
        }
    }

    @Override
    public void close() {
        end();
    }
}
