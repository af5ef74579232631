// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import dev.writ.trust.file.FolderLock;
import dev.writ.trust.file.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The keys of an installation: a folder that only its owner can enter, with one key for each
/// purpose, made when it is first needed.
///
/// A key that is replaced signs a hand-over to the next one before it is destroyed. So whoever
/// trusts the first key can follow to the latest.
public final class Keys {
    /// What a key is for. One that signs for one purpose never signs for another.
    public enum Purpose {
        /// checkpoints of logs
        LOG,
        /// attestations of runs
        ATTEST,
        /// capability tokens
        TOKEN;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// Under which name hand-overs are signed.
        private String signer() {
            return "writ/keys/" + word();
        }
    }

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_HANDOVERS = 10_000;
    private static final String TITLE = "writ key hand-over v1";

    private final Path folder;

    public Keys(Path folder) {
        this.folder = folder;
    }

    /// The key for a purpose, under a name. It is made if there is none, by one process alone.
    ///
    /// @throws KeyException if it cannot be made or read, or is not this user's alone
    public SigningKey signing(Purpose purpose, String name) {
        var file = file(purpose);
        if (!Files.exists(file)) {
            locked(
                    () -> {
                        if (!Files.exists(file)) {
                            SigningKey.make(purpose.signer()).save(file);
                            WholeFile.syncFolder(folder);
                        }
                    });
        }
        return SigningKey.load(file, name);
    }

    /// When the present key was made; empty if there is none yet.
    public Optional<Instant> since(Purpose purpose) {
        try {
            var file = file(purpose);
            return Files.exists(file)
                    ? Optional.of(Files.getLastModifiedTime(file).toInstant())
                    : Optional.empty();
        } catch (IOException e) {
            throw new KeyException("the key `" + file(purpose) + "` cannot be read", e);
        }
    }

    /// The public keys of a purpose under a name, latest first: the present one and those that lead
    /// to it by hand-overs.
    public List<VerifyingKey> verifying(Purpose purpose, String name) {
        var found = new LinkedHashSet<VerifyingKey>();
        found.add(signing(purpose, name).verifying());
        var steps = handovers(purpose);
        for (boolean more = true; more; ) {
            more = false;
            for (var step : steps) {
                if (found.contains(step.to().named(name))) {
                    more |= found.add(step.from().named(name));
                }
            }
        }
        return List.copyOf(found);
    }

    /// Replaces the key by a new one, which is returned. The old one signs a hand-over and is gone.
    public SigningKey rotate(Purpose purpose, String name) {
        signing(purpose, name);
        var handovers = folder.resolve("handovers");
        locked(
                () -> {
                    var old = SigningKey.load(file(purpose), purpose.signer());
                    var next = SigningKey.make(purpose.signer());
                    WholeFile.privateFolder(handovers);
                    int number = notes(purpose).size() + 1;
                    String text =
                            TITLE
                                    + "\n"
                                    + purpose.word()
                                    + "\n"
                                    + encoded(old.verifying())
                                    + "\n"
                                    + encoded(next.verifying())
                                    + "\n";
                    var note = handovers.resolve(purpose.word() + "-" + number + ".note");
                    // The hand-over first: a key that nobody can follow to must never sign.
                    WholeFile.replaceDurably(note, Note.sign(text, old));
                    WholeFile.syncFolder(handovers);
                    WholeFile.syncFolder(folder);
                    next.save(file(purpose));
                    WholeFile.syncFolder(folder);
                });
        return SigningKey.load(file(purpose), name);
    }

    /// All keys that `first` leads to by the hand-overs in `folder`, itself included: for a
    /// verifier that trusts `first` and was given the notes. Hand-overs that it does not lead to
    /// are passed over.
    public static List<VerifyingKey> follow(Path folder, Purpose purpose, VerifyingKey first) {
        String name = first.name();
        var found = new LinkedHashSet<VerifyingKey>();
        found.add(first);
        var steps = new Keys(folder).handovers(purpose);
        for (boolean more = true; more; ) {
            more = false;
            for (var step : steps) {
                if (found.contains(step.from().named(name))) {
                    more |= found.add(step.to().named(name));
                }
            }
        }
        return List.copyOf(found);
    }

    private record Step(VerifyingKey from, VerifyingKey to) {}

    /// The hand-overs whose signatures are good.
    private List<Step> handovers(Purpose purpose) {
        var steps = new ArrayList<Step>();
        for (var path : notes(purpose)) {
            try {
                byte[] bytes = WholeFile.read(path, 10_000);
                if (bytes == null) {
                    continue;
                }
                String[] lines = Note.unverifiedText(bytes).split("\n", -1);
                if (lines.length != 5
                        || !lines[0].equals(TITLE)
                        || !lines[1].equals(purpose.word())) {
                    throw new KeyException("not a hand-over of a key");
                }
                var from = decoded(purpose, lines[2]);
                Note.open(bytes, List.of(from));
                steps.add(new Step(from, decoded(purpose, lines[3])));
            } catch (IOException | KeyException e) {
                throw new KeyException("the hand-over `" + path + "` cannot be believed", e);
            }
        }
        return steps;
    }

    private List<Path> notes(Purpose purpose) {
        var handovers = folder.resolve("handovers");
        if (!Files.isDirectory(handovers)) {
            return List.of();
        }
        String start = purpose.word() + "-";
        try (var paths = Files.list(handovers)) {
            return paths.filter(p -> p.getFileName().toString().matches(start + "[0-9]+\\.note"))
                    .limit(MOST_HANDOVERS)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new KeyException("the hand-overs in `" + handovers + "` cannot be read", e);
        }
    }

    private static String encoded(VerifyingKey key) {
        return Base64.getEncoder().encodeToString(key.point());
    }

    private static VerifyingKey decoded(Purpose purpose, String text) {
        byte[] point = Note.base64(text);
        if (point == null) {
            throw new KeyException("not a key");
        }
        return new VerifyingKey(purpose.signer(), point);
    }

    private Path file(Purpose purpose) {
        return folder.resolve(purpose.word() + ".pem");
    }

    private interface Change {
        void make() throws IOException;
    }

    private void locked(Change change) {
        try {
            WholeFile.privateFolder(folder);
            try (var _ = FolderLock.take(folder, PATIENCE)) {
                change.make();
            }
        } catch (IOException e) {
            throw new KeyException("the keys in `" + folder + "` cannot be changed", e);
        }
    }
}
