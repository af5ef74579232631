// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Secret;
import dev.writ.core.capability.SecretForm;
import dev.writ.core.capability.SecretSource;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Isolation;
import dev.writ.core.policy.Passage;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.SecretDefinition;
import dev.writ.core.policy.Source;
import dev.writ.egress.secret.SecretReader;
import dev.writ.egress.secret.Secrets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A proxy under a policy, a good server and an evil one. In rules and requests `GOOD` and `EVIL`
/// stand for their ports. Every name under `.test` leads to loopback.
final class Stage implements AutoCloseable {
    static final String OK = "HTTP/1.1 200";

    final Origin good;
    final Origin evil = new Origin();
    final InMemoryAuditLog log = new InMemoryAuditLog();
    final Egress egress;
    private final Policy policy;
    private final Optional<Secrets> secrets;

    Stage(String... rules) {
        this(Approver.nobody(), Bounds.DEFAULT, rules);
    }

    Stage(Approver approver, Bounds bounds, String... rules) {
        this(new Origin(), List.of(), Map.of(), approver, bounds, rules);
    }

    /// @param roots whom to believe besides
    /// @param secrets by their names: destination and form; the value of each is its name eight
    /// times
    Stage(
            Origin good,
            List<Path> roots,
            Map<String, List<String>> secrets,
            Approver approver,
            Bounds bounds,
            String... rules) {
        this.good = good;
        var definitions =
                secrets.entrySet().stream().map(e -> secret(e.getKey(), e.getValue())).toList();
        policy =
                Policy.of(
                        Scope.SPELLED_OUT,
                        Stream.concat(
                                        Arrays.stream(rules),
                                        definitions.stream()
                                                .map(
                                                        d ->
                                                                "allow "
                                                                        + d.to().text(
                                                                                        Scope
                                                                                                .SPELLED_OUT)))
                                .map(this::rule)
                                .toList(),
                        List.of(),
                        definitions,
                        new Isolation.Auto(),
                        _ -> List.of());
        this.secrets =
                definitions.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                Secrets.read(
                                        definitions,
                                        new SecretReader(
                                                secrets.keySet().stream()
                                                        .collect(
                                                                Collectors.toMap(
                                                                        n -> n,
                                                                        n -> n.repeat(8))))));
        egress =
                new Egress(
                        policy,
                        new Broker(policy, approver, log, InstantSource.system()),
                        new SessionId("test"),
                        InstantSource.system(),
                        new Outside(Stage::resolve, bounds, Map.of(), roots),
                        this.secrets);
    }

    private SecretDefinition secret(String name, List<String> to) {
        return new SecretDefinition(
                new SecretSource.Variable(name),
                (Secret)
                        Capability.parse(
                                "secret:" + name + "@" + ports(to.getFirst()), Scope.SPELLED_OUT),
                SecretForm.parse(to.getLast()),
                Optional.of(name));
    }

    /// What stands for the secret of that name.
    String placeholder(String name) {
        return Objects.requireNonNull(
                secrets.orElseThrow().environment(policy, Map.of()).get(name));
    }

    /// Requests to the good server, its address named so that a name may lead to it.
    static Stage requests(String... more) {
        return new Stage(
                Stream.concat(
                                Stream.of(
                                        "allow net:GET=http://allowed.test:GOOD/v1/**",
                                        "allow net:POST=http://allowed.test:GOOD/v1/**",
                                        "allow net:127.0.0.1:GOOD"),
                                Arrays.stream(more))
                        .toArray(String[]::new));
    }

    static List<InetAddress> resolve(String name) throws UnknownHostException {
        return switch (name) {
            case "nowhere.test" -> throw new UnknownHostException(name);
            case "both.test" ->
                    List.of(InetAddress.ofLiteral("127.9.9.9"), InetAddress.ofLiteral("127.0.0.1"));
            default -> List.of(InetAddress.ofLiteral("127.0.0.1"));
        };
    }

    private Rule rule(String text) {
        String ports = ports(text);
        int at = ports.indexOf(' ');
        String capability = ports.substring(at + 1);
        return new Rule(
                Effect.valueOf(ports.substring(0, at).toUpperCase(Locale.ROOT)),
                Capability.parse(capability, Scope.SPELLED_OUT),
                capability,
                Source.of("test"));
    }

    String ports(String text) {
        return text.replace("GOOD", "" + good.port()).replace("EVIL", "" + evil.port());
    }

    /// Sends `request` to the explicit proxy, with the token, and gives the answer to it.
    String ask(String request) {
        return send(egress.explicit().address(), ports(withToken(request)));
    }

    private String withToken(String request) {
        return request.replaceFirst(
                "\r\n",
                "\r\nProxy-Authorization: Basic "
                        + Base64.getEncoder()
                                .encodeToString(
                                        ("writ:" + egress.explicit().token())
                                                .getBytes(StandardCharsets.US_ASCII))
                        + "\r\n");
    }

    /// Asks the explicit proxy for a connection; its answer is still to be read.
    Socket connect(String host, int port) throws IOException {
        var to = egress.explicit().address();
        var socket = new Socket(to.getAddress(), to.getPort());
        String request = withToken("CONNECT %s:%d HTTP/1.1\r\n\r\n".formatted(host, port));
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /// The same without the token.
    String askUnknown(String request) {
        return send(egress.explicit().address(), ports(request));
    }

    /// Sends `bytes` through a connection that was announced for `host`.
    String announced(String host, int port, String bytes) {
        try (var socket = announce(host, port)) {
            return exchange(socket, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A connection that was announced for what the policy says it may be used for.
    Socket announce(String name, int port) throws IOException {
        return announce(name, port, 0);
    }

    /// @param room for what has come and nobody reads; 0 for as much as the kernel likes
    Socket announce(String name, int port, int room) throws IOException {
        var host = Host.parseLoose(name, 0);
        var socket = new Socket();
        if (room > 0) {
            socket.setReceiveBufferSize(room);
        }
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        egress.expect(
                (InetSocketAddress) socket.getLocalSocketAddress(),
                host,
                port,
                Passage.of(policy, host, port));
        socket.connect(egress.address());
        return socket;
    }

    static String send(InetSocketAddress to, String bytes) {
        try (var socket = new Socket(to.getAddress(), to.getPort())) {
            return exchange(socket, bytes);
        } catch (IOException e) {
            return "";
        }
    }

    /// Sends `bytes`, and reads one whole answer, as its head says how long it is, or to the end.
    static String exchange(Socket socket, String bytes) throws IOException {
        var all = new StringBuilder();
        try {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            while (!isWhole(all.toString(), bytes.startsWith("HEAD "))) {
                int b = socket.getInputStream().read();
                if (b < 0) {
                    return all + "<END>";
                }
                all.append((char) b);
            }
            return all.toString();
        } catch (SocketTimeoutException e) {
            return all + "<NOTHING>";
        } catch (IOException e) {
            return all + "<END>";
        }
    }

    private static boolean isWhole(String answer, boolean toHead) {
        int end = answer.indexOf("\r\n\r\n");
        if (end < 0) {
            return false;
        }
        String head = answer.substring(0, end).toLowerCase(Locale.ROOT) + "\r\n";
        if (toHead
                || head.startsWith("http/1.1 101")
                || head.startsWith("http/1.1 200 connection established")) {
            return true;
        }
        int length = head.indexOf("content-length: ");
        if (length >= 0) {
            int size = Integer.parseInt(head.substring(length + 16, head.indexOf('\r', length)));
            return answer.length() >= end + 4 + size;
        }
        return head.contains("chunked") && answer.endsWith("0\r\n\r\n");
    }

    /// Reads until `text` has come.
    static String readUntil(Socket socket, String text) throws IOException {
        socket.setSoTimeout(10_000);
        var all = new StringBuilder();
        while (all.indexOf(text) < 0) {
            int b = socket.getInputStream().read();
            if (b < 0) {
                return all + "<END>";
            }
            all.append((char) b);
        }
        return all.toString();
    }

    List<AuditEvent.Judged> refusals() {
        return log.events().stream()
                .filter(AuditEvent.Judged.class::isInstance)
                .map(AuditEvent.Judged.class::cast)
                .filter(j -> !j.permitted())
                .toList();
    }

    List<AuditEvent.Egress> sent() {
        return log.events().stream()
                .filter(AuditEvent.Egress.class::isInstance)
                .map(AuditEvent.Egress.class::cast)
                .toList();
    }

    /// Waits for something that happens elsewhere.
    static void await(BooleanSupplier condition) {
        for (int i = 0; i < 1000 && !condition.getAsBoolean(); i++) {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        if (!condition.getAsBoolean()) {
            throw new AssertionError("did not happen");
        }
    }

    Service service() {
        return egress.service();
    }

    Map<String, String> variables() {
        return egress.explicit().variables();
    }

    @Override
    public void close() {
        egress.close();
        good.close();
        evil.close();
    }
}
