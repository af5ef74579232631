// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
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
import java.nio.file.Path;
import java.time.Duration;
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
    private static final String GROUP = "L";
    private static final int LONGEST = 16 << 20;

    private final Audit audit;
    private final ServerSocketChannel socket;
    private final Thread thread = Thread.ofPlatform().name("probe-verbs").unstarted(this::serve);

    private Verbs(Audit audit, ServerSocketChannel socket) {
        this.audit = audit;
        this.socket = socket;
    }

    /// Whether `launcher` has a harness for `test`.
    static boolean isFor(Case test, Launcher launcher) {
        return test.kind() == Kind.ADAPTER
                && test.group().equals(GROUP)
                && audit(launcher).isPresent();
    }

    private static Optional<Function<Harness.Place, Audit>> audit(Launcher launcher) {
        return Harness.find(launcher.harness()).flatMap(Harness::audit);
    }

    static Verbs open(Layout layout, Account account, Launcher launcher) throws IOException {
        Path folder = Files.createDirectory(layout.harness());
        var audit =
                audit(launcher)
                        .orElseThrow(() -> new StageException("no harness for the product"))
                        .apply(new Harness.Place(folder, account));
        try {
            var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            socket.bind(UnixDomainSocketAddress.of(layout.verbs()));
            account.own(layout.verbs());
            var verbs = new Verbs(audit, socket);
            verbs.thread.start();
            return verbs;
        } catch (IOException e) {
            audit.close();
            throw e;
        }
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
                answer.put("answer", answer(verb, words.stream().map(Verbs::bytes).toList()));
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

    private @Nullable Object answer(String verb, List<byte[]> words) throws IOException {
        return switch (verb) {
            case "write" -> nothing(() -> audit.write(words.stream().map(Verbs::text).toList()));
            case "raw" -> Base64.getEncoder().encodeToString(audit.raw());
            case "ordered" -> Base64.getEncoder().encodeToString(audit.ordered());
            case "put" -> nothing(() -> audit.put(words.getFirst(), false));
            case "forge" -> nothing(() -> audit.put(words.getFirst(), true));
            case "wrong" -> audit.wrong().orElse(null);
            case "path" -> audit.path().toString();
            case "next" -> audit.next().toString();
            case "rotate" -> nothing(audit::rotate);
            case "programs" -> audit.programs();
            case "run" ->
                    Base64.getEncoder()
                            .encodeToString(audit.run(text(words.getFirst())).getBytes(UTF_8));
            case "made" -> Files.exists(audit.workspace().resolve(text(words.getFirst())));
            case "fill" -> nothing(audit::fill);
            case "jump" ->
                    nothing(
                            () ->
                                    audit.jump(
                                            Duration.ofSeconds(
                                                    Long.parseLong(text(words.getFirst())))));
            default -> throw new IOException("no such verb: " + verb);
        };
    }

    private static @Nullable Object nothing(Runnable verb) {
        verb.run();
        return null;
    }

    /// As the system gives names: a byte that is not ASCII is a lone surrogate.
    private static String text(byte[] bytes) {
        var text = new StringBuilder();
        for (char c : new String(bytes, ISO_8859_1).toCharArray()) {
            text.append(c < 0x80 ? c : (char) (0xDC00 + c));
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        thread.interrupt();
        audit.close();
    }
}
