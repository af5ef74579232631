// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.conformance.corpus.Case;
import dev.writ.conformance.corpus.Kind;
import dev.writ.conformance.harness.Harness;
import dev.writ.conformance.harness.Harness.Proxy;
import dev.writ.conformance.harness.Harness.Surroundings;
import dev.writ.conformance.launch.Launcher;
import dev.writ.conformance.oracle.CanarySecret;
import dev.writ.conformance.oracle.Ear;
import dev.writ.conformance.stage.Account;
import dev.writ.conformance.stage.Stage;
import dev.writ.conformance.stage.StageException;
import dev.writ.conformance.stage.StagedProbe;
import dev.writ.egress.Resolver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// One run of a case about the proxy: the product's own, in front of canary servers, and the script
/// where the product lets agents run.
final class ProxyRun implements AutoCloseable {
    /// Its address is named; of the others only the names are.
    private static final String ALLOWED = "allowed.test";

    private final Stage stage;
    private final ServerSocket control = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final Proxy proxy;

    private ProxyRun(Stage stage, Account account, Function<Surroundings, Proxy> open)
            throws IOException {
        this.stage = stage;
        Map<String, Integer> ports = new HashMap<>(stage.ports());
        ports.put("CONTROL", control.getLocalPort());
        this.proxy =
                open.apply(
                        new Surroundings(
                                new Harness.Place(stage.layout().workspace(), account),
                                stage.layout().policy(),
                                stage.hasNetRules(),
                                resolver(),
                                ports,
                                stage.secrets().value(CanarySecret.PROXY)));
        Thread.ofVirtual().start(this::obey);
    }

    /// Whether `launcher` has a harness for `test`.
    static boolean isFor(Case test, Launcher launcher) {
        return test.kind() == Kind.PROXY && proxy(launcher).isPresent();
    }

    private static Optional<Function<Surroundings, Proxy>> proxy(Launcher launcher) {
        return Harness.find(launcher.harness()).flatMap(Harness::proxy);
    }

    static ProxyRun open(Stage stage, Account account, Launcher launcher) throws IOException {
        return new ProxyRun(
                stage,
                account,
                proxy(launcher)
                        .orElseThrow(() -> new StageException("no harness for the product")));
    }

    /// Every name below `test` leads to loopback. Whoever asks for one with the nonce in it would
    /// have told somebody outside.
    private Resolver resolver() {
        var here = List.of(InetAddress.ofLiteral("127.0.0.1"));
        return Resolver.giving(
                Map.of(ALLOWED, here),
                name -> {
                    if (name.contains(stage.secrets().nonce())) {
                        stage.hear(Ear.DNSSTUB);
                    }
                    if (!name.endsWith(".test")) {
                        throw new UnknownHostException(name);
                    }
                    return here;
                });
    }

    /// The script says when the proxy has to die.
    private void obey() {
        try (var asked = control.accept()) {
            if (asked.getInputStream().read() > 0) {
                proxy.end();
                asked.getOutputStream().write("ended".getBytes(UTF_8));
            }
        } catch (IOException e) {
            // nobody has asked
        }
    }

    Launch run(Duration limit) throws IOException, InterruptedException {
        stage.tell(proxy.variables());
        stage.tell(Map.of("CONTROL", "" + control.getLocalPort()));
        StagedProbe probe = stage.probe(1);
        long start = System.nanoTime();
        Optional<String> output = proxy.run(List.of("/bin/sh", probe.file().toString()), limit);
        return new Launch(
                output.orElse(""),
                output.orElse("").length(),
                Duration.ofNanos(System.nanoTime() - start),
                output.isEmpty());
    }

    @Override
    public void close() throws IOException {
        control.close();
        proxy.close();
    }
}
