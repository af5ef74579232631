// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.key.VerifyingKey;
import dev.writ.trust.log.Checkpoint;
import dev.writ.trust.log.Consistency;
import dev.writ.trust.log.Log;
import dev.writ.trust.log.LogException;
import dev.writ.trust.log.LogReader;
import dev.writ.trust.log.LogVerifier;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// `writ log anchor`: gives the head of the installation's log to somebody else. From then on
/// nobody can put an older copy back, or another history in its place, without its showing.
final class LogAnchor {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MOST_NOTE = 10_000;

    private LogAnchor() {}

    static int run(List<String> words, Arguments arguments, World world) {
        if (!words.isEmpty()) {
            throw new UsageException("say where to: `writ log anchor --to FILE`, a URL, or `git`");
        }
        var installation = Recorded.installation(world);
        if (!Files.isDirectory(installation.log())) {
            throw new UsageException(
                    "nothing is recorded in `" + installation.state() + "` yet; see `writ run`");
        }
        var keys = installation.verifying(Installation.origin());
        var head = head(installation, keys);
        String to = arguments.value(LogVerb.TO).orElse("");
        if (to.isEmpty()) {
            world.out().print(head.note());
            return ExitCode.OK;
        }
        if (to.equals("git")) {
            toGit(head, world);
        } else if (to.startsWith("http://") || to.startsWith("https://")) {
            toEndpoint(to, head);
        } else {
            toFile(to, head, installation, keys, world);
        }
        world.out()
                .println(
                        "anchored "
                                + head.size()
                                + " entries of "
                                + head.origin()
                                + " in "
                                + Text.shown(to));
        return ExitCode.OK;
    }

    /// The checkpoint of all entries there are.
    private static Checkpoint head(Installation installation, List<VerifyingKey> keys) {
        var folder = installation.log();
        if (Files.exists(folder.resolve("checkpoint"), LinkOption.NOFOLLOW_LINKS)) {
            var signed = LogVerifier.checkpoint(folder, keys);
            if (new LogReader(folder, signed.size()).next() == null) {
                return signed;
            }
        }
        var key = installation.keys().signing(Purpose.LOG, Installation.origin());
        try (var log = Log.open(folder, key, keys, PATIENCE)) {
            return log.sign();
        }
    }

    private static void toFile(
            String name,
            Checkpoint head,
            Installation installation,
            List<VerifyingKey> keys,
            World world) {
        Path file = PolicyOptions.path(name, world);
        try {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                byte[] there = WholeFile.read(file, MOST_NOTE);
                Consistency.check(
                        installation.log(),
                        Checkpoint.open(there == null ? new byte[0] : there, keys),
                        keys);
            }
            WholeFile.replaceDurably(file, head.note().getBytes(UTF_8));
        } catch (LogException e) {
            throw new UsageException(
                    "`"
                            + Text.shown(name)
                            + "` is not replaced, as it is no earlier checkpoint of this log: "
                            + Text.shown(String.valueOf(e.getMessage())));
        } catch (IOException e) {
            throw new UsageException(
                    "`" + Text.shown(name) + "` cannot be written: " + Reason.of(e));
        }
    }

    private static void toEndpoint(String to, Checkpoint head) {
        try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            var request =
                    HttpRequest.newBuilder(URI.create(to))
                            .timeout(PATIENCE)
                            .header("Content-Type", "text/plain; charset=utf-8")
                            .POST(HttpRequest.BodyPublishers.ofString(head.note()))
                            .build();
            int status = client.send(request, BodyHandlers.discarding()).statusCode();
            if (status / 100 != 2) {
                throw new UsageException(
                        "`" + Text.shown(to) + "` answered " + status + ", so nothing is anchored");
            }
        } catch (IOException e) {
            throw new UsageException(
                    "`"
                            + Text.shown(to)
                            + "` cannot be reached, so nothing is anchored: "
                            + Text.shown(e.getClass().getSimpleName() + " " + e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw new UsageException("not a URL: `" + Text.shown(to) + "`");
        } catch (InterruptedException e) {
            throw new UsageException("interrupted, so nothing is anchored");
        }
    }

    /// Nothing that the workspace may have put into git's way is started: no hooks, no repository
    /// that is one only by the names in a folder, and nothing to fetch what is missing with.
    private static void toGit(Checkpoint head, World world) {
        var git =
                world.config().programs().stream()
                        .map(folder -> Path.of(folder.resolve("git").toString()))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow(() -> new UsageException("`git` is not installed"));
        var command =
                new ProcessBuilder(
                        git.toString(),
                        "-c",
                        "core.hooksPath=/dev/null",
                        "-c",
                        "core.fsmonitor=false",
                        "-c",
                        "safe.bareRepository=explicit",
                        "notes",
                        "--ref=writ",
                        "append",
                        "-F",
                        "-",
                        "HEAD");
        command.environment().put("GIT_ALLOW_PROTOCOL", "none");
        try {
            var process =
                    command.directory(world.folder().toFile()).redirectErrorStream(true).start();
            try (var in = process.getOutputStream()) {
                in.write(head.note().getBytes(UTF_8));
            }
            String said = new String(process.getInputStream().readNBytes(MOST_NOTE), UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new UsageException("git could not keep the note: " + Text.shown(said));
            }
        } catch (IOException e) {
            throw new UsageException("git cannot be used: " + Reason.of(e));
        } catch (InterruptedException e) {
            throw new UsageException("interrupted, so it may not be anchored");
        }
    }
}
