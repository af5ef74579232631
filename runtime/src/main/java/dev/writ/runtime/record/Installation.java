// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.trust.attest.AgentRun;
import dev.writ.trust.attest.Attestation;
import dev.writ.trust.attest.Collector;
import dev.writ.trust.event.Disclosure;
import dev.writ.trust.event.Entry;
import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.Keys;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.key.VerifyingKey;
import dev.writ.trust.log.Checkpoint;
import dev.writ.trust.log.Durability;
import dev.writ.trust.log.Log;
import dev.writ.trust.token.RevocationFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Where everything of the record lies, and under which names it is signed.
///
/// ```
/// keys/                        the keys, and the hand-overs from earlier ones
/// log/                         the log of the installation: heads of all sessions
/// sessions/<session>/          the log of a session
/// sessions/<session>/attestation.json
/// sessions/<session>/disclosures.jsonl   what its events commit to; can be deleted
/// tokens/revocations           tokens that are taken back
/// unfinished/                  a name for each session whose end is not written down yet
/// ```
///
/// All logs of an installation are signed by one key, each under a name of its own: `writ/log` and
/// `writ/log/<session>`.
///
/// @param state the folder of all this
public record Installation(Path state) {
    /// Under which name attestations are signed.
    public static final String ATTESTER = "writ/attest";

    /// Under which name tokens are signed.
    public static final String ISSUER = "writ/token";

    private static final String NAME = "writ/log";
    private static final String DISCLOSURES = "disclosures.jsonl";
    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(
                    Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String ATTESTATION = "attestation.json";

    public Keys keys() {
        return new Keys(state.resolve("keys"));
    }

    /// What was given and is taken back.
    public RevocationFile revocations() {
        return new RevocationFile(state.resolve("tokens").resolve("revocations"));
    }

    /// The log in which heads are anchored.
    public Path log() {
        return state.resolve("log");
    }

    /// The log of a session.
    public Path log(SessionId session) {
        return sessionFolder().resolve(session.value());
    }

    /// The attestation of a session, a Sigstore bundle.
    public Path attestation(SessionId session) {
        return log(session).resolve(ATTESTATION);
    }

    /// Under which name the installation's log is signed.
    public static String origin() {
        return NAME;
    }

    /// Under which name the log of a session is signed.
    public static String origin(SessionId session) {
        return NAME + "/" + session.value();
    }

    /// The key that signs the log of this name. Made if there is none yet.
    SigningKey signing(String origin) {
        return keys().signing(Purpose.LOG, origin);
    }

    /// The keys that may have signed the log of this name, latest first.
    public List<VerifyingKey> verifying(String origin) {
        return keys().verifying(Purpose.LOG, origin);
    }

    /// By what this installation is known to others: the key of its log, as `writ keys export log`
    /// says it, and the keys that it had before.
    public Set<String> names() {
        return verifying(NAME).stream()
                .map(VerifyingKey::toString)
                .collect(Collectors.toUnmodifiableSet());
    }

    /// All sessions that have a log, oldest first: their names begin with the time.
    public List<SessionId> sessions() {
        if (!Files.isDirectory(sessionFolder())) {
            return List.of();
        }
        try (var all = Files.list(sessionFolder())) {
            return all.map(f -> f.getFileName().toString())
                    .filter(SessionId::isValid)
                    .sorted()
                    .map(SessionId::new)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Puts the head of a session's log into the installation's, so that nobody can remove or
    /// shorten the one unnoticed. Before anything happens in a session its name is put there.
    ///
    /// @param checkpoint the signed note; empty at the beginning
    void anchor(SessionId session, String checkpoint) {
        append(
                new AuditEvent.Anchored(InstantSource.system().instant(), session, checkpoint),
                !checkpoint.isEmpty());
    }

    private void append(AuditEvent event, boolean signed) {
        var origin = origin();
        var earlier = verifying(origin);
        try (var all = Log.open(log(), signing(origin), earlier, PATIENCE)) {
            all.append(Entry.of(event).bytes(), Durability.BEFORE_EFFECT);
            if (signed) {
                all.sign();
            }
        }
    }

    /// Writes down that something was revoked, for everybody who can verify the log.
    ///
    /// @param what SHA-256 of a signed block, or the key of a holder
    public void revoked(String what, String why) {
        append(
                new AuditEvent.TokenRevoked(
                        InstantSource.system().instant(), new SessionId("installation"), what, why),
                true);
    }

    /// Attests what `collector` has heard of a session whose log has this head.
    void attest(SessionId session, Collector collector, Checkpoint head, String version) {
        var range =
                new AgentRun.LogRange(head.origin(), 0, Math.max(0, head.size() - 1), head.note());
        var key = keys().signing(Purpose.ATTEST, ATTESTER);
        byte[] bundle =
                Attestation.sign(
                        collector.run(version, Optional.of(range)),
                        key.verifying().fingerprint(),
                        key::sign);
        try {
            WholeFile.replaceDurably(attestation(session), bundle);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Keeps what events of a session commit to, apart from them. Whoever deletes the file deletes
    /// the values, and nothing else.
    void disclose(SessionId session, List<Disclosure> disclosures) {
        try {
            var file = log(session).resolve(DISCLOSURES);
            if (!Files.exists(file)) {
                Files.createFile(file, PRIVATE);
            }
            for (var disclosure : disclosures) {
                Files.writeString(file, disclosure.line() + "\n", StandardOpenOption.APPEND);
            }
        } catch (FileAlreadyExistsException e) {
            disclose(session, disclosures); // another thread was faster
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Unfinished unfinished() {
        return new Unfinished(this);
    }

    /// Writes down the end of sessions that were killed together with Writ.
    ///
    /// @param version of Writ, for the attestation
    /// @return what stands in the way, a line each
    public List<String> finishOthers(Supplier<String> version) {
        return unfinished().finish(version);
    }

    /// How many sessions have no end in the record: they run, or Writ was killed with them.
    public int unfinishedCount() {
        return unfinished().all().size();
    }

    private Path sessionFolder() {
        return state.resolve("sessions");
    }
}
