// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.conformance.corpus.Case;
import dev.writ.conformance.corpus.Kind;
import dev.writ.conformance.harness.Harness;
import dev.writ.conformance.harness.Harness.Audit;
import dev.writ.conformance.launch.Launcher;
import dev.writ.conformance.stage.Account;
import dev.writ.conformance.stage.Layout;
import dev.writ.conformance.stage.StageException;
import dev.writ.trust.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Answers the verbs of the script of an adapter case: one line of JSON each way. The script is on
/// the host side, and so is its verdict; what the agent does goes through the sandbox.
final class Verbs implements AutoCloseable {
    private static final int LONGEST = 16 << 20;

    private final Answers answers;
    private final ServerSocketChannel socket;
    private final Thread thread = Thread.ofPlatform().name("probe-verbs").unstarted(this::serve);

    private Verbs(Answers answers, ServerSocketChannel socket) {
        this.answers = answers;
        this.socket = socket;
    }

    /// Whether `launcher` has a harness for `test`.
    static boolean isFor(Case test, Launcher launcher) {
        return test.kind() == Kind.ADAPTER
                && ((test.group().equals("L") && audit(launcher).isPresent())
                        || (test.group().equals("T") && tokens(launcher).isPresent())
                        || (usesProduct(test.group()) && !launcher.product().isEmpty()));
    }

    /// Whether the scripts of `group` run the product themselves.
    static boolean usesProduct(String group) {
        return group.equals("M") || group.equals("N");
    }

    private static Optional<Function<Harness.Place, Audit>> audit(Launcher launcher) {
        return Harness.find(launcher.harness()).flatMap(Harness::audit);
    }

    private static Optional<Function<Harness.Place, Harness.Tokens>> tokens(Launcher launcher) {
        return Harness.find(launcher.harness()).flatMap(Harness::tokens);
    }

    /// What answers the verbs of a group.
    interface Answers extends AutoCloseable {
        @Nullable Object answer(String verb, List<byte[]> words) throws IOException;

        @Override
        void close();
    }

    static Verbs open(String group, Layout layout, Account account, Launcher launcher)
            throws IOException {
        var place = new Harness.Place(Files.createDirectory(layout.harness()), account);
        var opened =
                answers(group, place, launcher)
                        .orElseThrow(() -> new StageException("no harness for the product"));
        try {
            var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            socket.bind(UnixDomainSocketAddress.of(layout.verbs()));
            account.own(layout.verbs());
            var verbs = new Verbs(opened, socket);
            verbs.thread.start();
            return verbs;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    private static Optional<Answers> answers(String group, Harness.Place place, Launcher launcher)
            throws IOException {
        if (usesProduct(group)) {
            place.account().own(place.folder());
            return Optional.of(new HostVerbs());
        }
        return group.equals("T")
                ? tokens(launcher).map(t -> new TokenVerbs(t.apply(place)))
                : audit(launcher).map(a -> new AuditVerbs(a.apply(place)));
    }

    /// A script that ends without a verdict, or whose own controls do not hold, proves nothing.
    Outcome confirm(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Held(var detail, var output)
                    when output.lines().noneMatch("BLOCKED"::equals) ->
                    new Outcome.Failed("no verdict: " + detail, output);
            default -> outcome;
        };
    }

    private void serve() {
        try (var channel = socket.accept()) {
            var in = Channels.newInputStream(channel);
            for (var line = line(in); line.length > 0; line = line(in)) {
                var answer = ByteBuffer.wrap((Json.write(answer(line)) + "\n").getBytes(UTF_8));
                while (answer.hasRemaining()) {
                    channel.write(answer);
                }
            }
        } catch (IOException e) {
            // the script has ended, or its time has: there is nobody to tell
        }
    }

    private static byte[] line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        byte[] some = new byte[1 << 16];
        for (int n = in.read(some); n > 0; n = in.read(some)) {
            line.write(some, 0, n);
            if (some[n - 1] == '\n' || line.size() > LONGEST) {
                break;
            }
        }
        return line.toByteArray();
    }

    private Map<String, @Nullable Object> answer(byte[] line) {
        var answer = new HashMap<String, @Nullable Object>();
        try {
            if (Json.read(line, LONGEST) instanceof Map<?, ?> map
                    && map.get("verb") instanceof String verb
                    && map.get("words") instanceof List<?> words) {
                answer.put(
                        "answer", answers.answer(verb, words.stream().map(Verbs::bytes).toList()));
            } else {
                answer.put("failure", "not a verb and its words");
            }
        } catch (RuntimeException | IOException e) {
            answer.put("failure", String.valueOf(e));
        }
        return answer;
    }

    private static byte[] bytes(Object word) {
        return Base64.getDecoder().decode(String.valueOf(word));
    }

    @Override
    public void close() throws IOException {
        socket.close();
        thread.interrupt();
        answers.close();
    }
}
