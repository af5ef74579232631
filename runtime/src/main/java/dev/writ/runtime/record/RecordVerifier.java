// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.SessionId;
import dev.writ.runtime.record.Finding.State;
import dev.writ.trust.attest.Attestation;
import dev.writ.trust.attest.AttestationException;
import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.key.Note;
import dev.writ.trust.key.VerifyingKey;
import dev.writ.trust.log.Checkpoint;
import dev.writ.trust.log.Consistency;
import dev.writ.trust.log.LogException;
import dev.writ.trust.log.LogReader;
import dev.writ.trust.log.LogVerifier;
import dev.writ.trust.log.LogVerifier.Verified;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Checks a whole record, or a copy of one: each log by itself, that the sessions are those that
/// were anchored, and the attestations. It goes on after what it finds, so that all of it is said.
public final class RecordVerifier {
    private static final int ATTEMPTS = 5;
    private static final long PAUSE_MILLIS = 100;
    private static final int MOST_NOTE = 10_000;
    private static final int MOST_BUNDLE = 64 << 20;
    static final String INSTALLATION = "installation log";

    private final TrustedKeys trusted;
    private final Consumer<Finding> found;

    /// @param found is told of each thing that was looked at
    public RecordVerifier(TrustedKeys trusted, Consumer<Finding> found) {
        this.trusted = trusted;
        this.found = found;
    }

    /// Checks everything of an installation.
    public void installation(Installation installation) {
        var sessions = new TreeSet<String>();
        installation.sessions().forEach(s -> sessions.add(s.value()));
        boolean begun = Files.exists(installation.log(), LinkOption.NOFOLLOW_LINKS);
        if (!begun && sessions.isEmpty()) {
            found.accept(Finding.of(INSTALLATION, State.UNCHECKED, "nothing is recorded yet"));
            return;
        }
        if (!begun) {
            found.accept(
                    Finding.of(
                            INSTALLATION,
                            State.WRONG,
                            "is missing, so nothing shows which sessions are"));
        }
        var anchors =
                begun
                        ? new Anchors(installation, trusted, found).read()
                        : Map.<String, Anchors.Anchor>of();
        if (begun) {
            heads(installation, anchors.values());
        }
        sessions.addAll(anchors.keySet());
        for (var session : sessions) {
            session(installation, new SessionId(session), anchors.get(session));
        }
    }

    /// Checks the log of the installation. It is signed with the first head that is anchored; while
    /// the first run goes on, or if it was killed, there are only names in it.
    private void heads(Installation installation, Collection<Anchors.Anchor> anchors) {
        boolean signed =
                Files.exists(installation.log().resolve("checkpoint"), LinkOption.NOFOLLOW_LINKS)
                        || anchors.stream().anyMatch(a -> a.size() > 0 || a.broken());
        if (signed) {
            folder(INSTALLATION, installation.log(), Installation.origin());
        } else {
            found.accept(
                    Finding.of(INSTALLATION, State.UNCHECKED, "not signed: no session has ended"));
        }
    }

    /// Checks a log alone, whichever it is.
    public void log(Path folder) {
        String origin = origin(folder);
        if (!origin.isEmpty()) {
            folder(origin, folder, origin);
        }
    }

    /// Checks that a log begins with what was signed when somebody else was given a checkpoint.
    ///
    /// @param kept that checkpoint, or several
    public void anchor(Path folder, byte[] kept) {
        for (var note : notes(new String(kept, UTF_8))) {
            attempt(
                    "anchor",
                    () -> {
                        byte[] bytes = note.getBytes(UTF_8);
                        var keys = trusted.log(firstLine(bytes));
                        var anchor = Checkpoint.open(bytes, keys);
                        var now = Consistency.check(folder, anchor, keys);
                        return "the first "
                                + anchor.size()
                                + " of now "
                                + now.size()
                                + " entries are those that were anchored";
                    });
        }
    }

    /// The notes in a file of several, which have an empty line between them.
    private static List<String> notes(String text) {
        return List.of(text.strip().split("(?<=\n\u2014 [^\n]{1,500}\n)\n+")).stream()
                .map(note -> note.strip() + "\n")
                .toList();
    }

    private String origin(Path folder) {
        try {
            byte[] note = WholeFile.read(folder.resolve("checkpoint"), MOST_NOTE);
            if (note != null) {
                return firstLine(note);
            }
            found.accept(
                    Finding.of(
                            "log",
                            State.WRONG,
                            "there is no signed checkpoint in `" + folder + "`"));
        } catch (IOException | KeyException e) {
            found.accept(
                    Finding.of(
                            "log",
                            State.WRONG,
                            "its checkpoint cannot be read: " + e.getMessage()));
        }
        return "";
    }

    private static String firstLine(byte[] note) {
        return Note.unverifiedText(note).lines().findFirst().orElse("");
    }

    private void folder(String what, Path folder, String origin) {
        attempt(
                what,
                () -> {
                    var verified = verify(folder, origin);
                    return entries(verified.checkpoint().size()) + tail(verified.unsigned());
                });
    }

    /// A log may be signed anew while it is looked at; then what does not fit is looked at again.
    private Verified verify(Path folder, String origin) {
        for (int i = 1; ; i++) {
            var before = head(folder);
            try {
                return LogVerifier.verify(folder, trusted.log(origin));
            } catch (LogException e) {
                if (i == ATTEMPTS || !isSignedAnew(folder, before)) {
                    throw e;
                }
            }
        }
    }

    private static boolean isSignedAnew(Path folder, String before) {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !head(folder).equals(before);
    }

    private static String head(Path folder) {
        try {
            byte[] note = WholeFile.read(folder.resolve("checkpoint"), MOST_NOTE);
            return note == null ? "" : new String(note, UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static String entries(long count) {
        return count == 1 ? "1 entry" : count + " entries";
    }

    private static String tail(long unsigned) {
        return unsigned == 0
                ? ""
                : ", and " + unsigned + " behind the last checkpoint that nobody has signed";
    }

    static String name(SessionId session) {
        return "session " + session;
    }

    private void session(
            Installation installation, SessionId session, Anchors.@Nullable Anchor anchor) {
        var folder = installation.log(session);
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            long size = anchor == null ? 0 : anchor.size();
            found.accept(
                    Finding.of(
                            name(session),
                            State.WRONG,
                            "was removed: it is anchored"
                                    + (size == 0 ? "" : " with " + entries(size))
                                    + ", and not there"));
            return;
        }
        boolean signed =
                Files.exists(folder.resolve("checkpoint"), LinkOption.NOFOLLOW_LINKS)
                        || (anchor != null && (anchor.size() > 0 || anchor.broken()));
        if (signed) {
            folder(name(session), folder, Installation.origin(session));
        }
        boolean some = signed || hasEntries(folder);
        if (!signed) {
            found.accept(
                    Finding.of(
                            name(session),
                            State.UNCHECKED,
                            some
                                    ? "not signed: it was ended before its first checkpoint"
                                    : "nothing is in it: it was ended before anything happened"));
        }
        if (anchor == null && some) {
            found.accept(
                    Finding.of(
                            name(session),
                            State.WRONG,
                            "was never anchored: it was put there, or the installation log is"
                                    + " older than it"));
        }
        attestation(installation, session);
    }

    private static boolean hasEntries(Path folder) {
        try {
            return new LogReader(folder, 0).next() != null;
        } catch (LogException e) {
            return true; // something is there, if not in order
        }
    }

    private void attestation(Installation installation, SessionId session) {
        String what = "attestation of " + session;
        byte[] bundle;
        try {
            bundle = WholeFile.read(installation.attestation(session), MOST_BUNDLE);
        } catch (IOException e) {
            found.accept(Finding.of(what, State.WRONG, String.valueOf(e.getMessage())));
            return;
        }
        if (bundle == null) {
            return;
        }
        if (!trusted.mayKnowAttester(bundle)) {
            found.accept(
                    Finding.of(
                            what,
                            State.UNCHECKED,
                            "none of the given keys is for it; `--key` can be given again"));
            return;
        }
        attempt(what, () -> attested(installation, session, verify(bundle, candidates(bundle))));
    }

    private List<VerifyingKey> candidates(byte[] bundle) {
        return trusted.attestation(Attestation.hint(bundle));
    }

    /// Verifies with whichever of the keys fits.
    ///
    /// @throws AttestationException if none does
    public static Attestation verify(byte[] bundle, List<VerifyingKey> keys) {
        AttestationException first = null;
        for (var key : keys) {
            try {
                return Attestation.verify(bundle, key::verifies);
            } catch (AttestationException e) {
                first = first == null ? e : first;
            }
        }
        throw first == null
                ? new AttestationException("no key is known that could have signed it")
                : first;
    }

    private String attested(Installation installation, SessionId session, Attestation attestation) {
        if (!(attestation.predicate().get("run") instanceof Map<?, ?> run)
                || !session.value().equals(run.get("id"))) {
            throw new AttestationException("it is of another session");
        }
        return covered(attestation, session, installation);
    }

    /// What the log of the session has to do with its attestation.
    ///
    /// @throws LogException if it does not have what is attested
    public String covered(Attestation attestation, SessionId session, Installation installation) {
        if (!(attestation.predicate().get("log") instanceof Map<?, ?> range)) {
            return "signed; no log is named in it";
        }
        var keys = trusted.log(Installation.origin(session));
        if (keys.isEmpty()) {
            return "signed; its checkpoint not checked, as no key of logs is given";
        }
        String note = String.valueOf(range.get("checkpoint"));
        var checkpoint = Checkpoint.open(note.getBytes(UTF_8), keys);
        if (!(range.get("last") instanceof Long last) || last >= Math.max(1, checkpoint.size())) {
            throw new AttestationException("its checkpoint does not cover its last entry");
        }
        if (!Files.isDirectory(installation.log(session))) {
            return "signed, and so is its checkpoint; the log of the session is not here";
        }
        Consistency.check(installation.log(session), checkpoint, keys);
        return "signed, and the log has the " + checkpoint.size() + " entries it is about";
    }

    private interface Check {
        String says();
    }

    private void attempt(String what, Check check) {
        try {
            found.accept(Finding.of(what, State.VERIFIED, check.says()));
        } catch (LogException | KeyException | AttestationException e) {
            found.accept(new Finding(what, State.WRONG, String.valueOf(e.getMessage()), entry(e)));
        }
    }

    static long entry(RuntimeException e) {
        return e instanceof LogException log ? log.entry() : -1;
    }
}
