// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.core.sandbox.SandboxException;
import dev.writ.runtime.Config;
import dev.writ.runtime.Writ;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.runtime.record.EventWriter;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventKind;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.log.Durability;
import dev.writ.trust.log.Log;
import dev.writ.trust.log.LogException;
import dev.writ.trust.log.LogReader;
import dev.writ.trust.log.LogVerifier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writ's own record: a session's log, signed with the installation's key, which also takes the
/// verdicts on commands that run in the sandbox. The state lies in the workspace, which the agent
/// may write: nothing but Writ's guard keeps it away.
final class RecordedAudit implements Harness.Audit {
    private final Path workspace;
    private final Installation installation;
    private final Policy policy;
    private int number = 1;
    private int forgeries;
    private Log log;
    private boolean open = true;
    private Duration jumped = Duration.ZERO;

    RecordedAudit(Harness.Place place) {
        this.workspace = place.folder();
        Path state = workspace.resolve("state");
        this.installation = new Installation(state);
        var config =
                Config.of(
                        workspace,
                        Map.of(
                                "PATH", "/usr/bin:/bin",
                                "HOME", "/nowhere",
                                "WRIT_HOME", state.toString()));
        this.policy =
                new PolicyLoader(
                                config.scope(FilePath.of(workspace.toString())),
                                config.ownFolders())
                        .profile("workspace", Source.of("probe"))
                        .rule(Effect.DENY, "read:./denied", FilePath.of(workspace.toString()))
                        .load();
        try {
            Files.writeString(workspace.resolve("denied"), "x");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.log = begin();
    }

    private SessionId session(int number) {
        return new SessionId("probe-" + number);
    }

    private Log begin() {
        return Log.open(path(), key());
    }

    private SigningKey key() {
        return installation.keys().signing(Purpose.LOG, Installation.origin(session(number)));
    }

    @Override
    public void write(List<String> words) {
        append(
                new AuditEvent.ProcessStarted(
                        Instant.now().plus(jumped),
                        session(number),
                        1,
                        0,
                        FilePath.of("/usr/bin/true"),
                        words));
    }

    private void append(AuditEvent event) {
        new EventWriter(log, _ -> {}).write(event);
    }

    @Override
    public byte[] raw() {
        if (open) {
            log.sign();
        }
        var out = new ByteArrayOutputStream();
        entries()
                .forEach(
                        e ->
                                out.writeBytes(
                                        (new String(e, ISO_8859_1) + "\n").getBytes(ISO_8859_1)));
        return out.toByteArray();
    }

    private List<byte[]> entries() {
        var all = new ArrayList<byte[]>();
        var reader = new LogReader(path(), 0);
        for (byte[] entry = reader.next(); entry != null; entry = reader.next()) {
            all.add(entry);
        }
        return all;
    }

    /// Each entry has its place in what was signed.
    @Override
    public byte[] ordered() {
        byte[] lines = raw();
        LogVerifier.verify(path(), installation.verifying(Installation.origin(session(number))));
        return lines;
    }

    /// Makes another log of these entries, and puts its files where the real ones are. It is signed
    /// by another key, so its checkpoint is of no use.
    @Override
    public void put(byte[] lines, boolean all) {
        close();
        Path forged = workspace.resolve("forged" + forgeries++);
        try {
            try (var other = Log.open(forged, SigningKey.make(key().name()))) {
                for (String line : new String(lines, ISO_8859_1).split("\n")) {
                    other.append(line.getBytes(ISO_8859_1), Durability.SOON);
                }
                other.sign();
            }
            copy(forged, "tile/entries");
            if (all) {
                copy(forged, "tile");
                copy(forged, "wal");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void copy(Path forged, String part) throws IOException {
        try (var files = Files.walk(forged.resolve(part))) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                Path real = path().resolve(forged.relativize(file));
                Files.copy(file, real, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    @Override
    public Optional<Long> wrong() {
        try {
            if (open) {
                log.sign();
            }
            LogVerifier.verify(
                    path(), installation.verifying(Installation.origin(session(number))));
            return Optional.empty();
        } catch (LogException e) {
            return Optional.of(e.entry());
        }
    }

    @Override
    public Path path() {
        return installation.log(session(number));
    }

    @Override
    public Path next() {
        return installation.log(session(number + 1));
    }

    /// The next session has a log of its own.
    @Override
    public void rotate() {
        close();
        number++;
        log = begin();
        open = true;
    }

    @Override
    public String run(String command) {
        var writ = new Writ(Map.of("LANG", "C.UTF-8"));
        try (var session = writ.open(policy, FilePath.of(workspace.toString()), this::append)) {
            var outcome = session.run(List.of("bash", "-c", command));
            return outcome.output() + outcome.errors();
        } catch (SandboxException | LogException e) {
            return "refused: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    @Override
    public Path workspace() {
        return workspace;
    }

    @Override
    public List<String> programs() {
        return entries().stream()
                .map(Event::read)
                .filter(e -> e.kind().equals(Optional.of(EventKind.JUDGED)))
                .map(e -> e.text("action"))
                .filter(a -> a.startsWith("exec:"))
                .map(a -> a.substring("exec:".length()).split(" ")[0])
                .toList();
    }

    /// The file that is written next is one on which the kernel has no space.
    @Override
    public void fill() {
        try {
            Files.createSymbolicLink(path().resolve("wal/0.wal"), Path.of("/dev/full"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void jump(Duration time) {
        jumped = jumped.plus(time);
    }

    @Override
    public void close() {
        open = false;
        try {
            log.close();
        } catch (LogException e) {
            // it said so when it was written
        }
    }
}
