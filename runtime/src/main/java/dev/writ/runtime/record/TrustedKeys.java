// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.trust.attest.Attestation;
import dev.writ.trust.attest.AttestationException;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.key.Keys;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.key.VerifyingKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The public keys that somebody who verifies believes, and those that they lead to by hand-overs.
///
/// @param given what was believed to begin with
/// @param keys the folder in which hand-overs are looked for
public record TrustedKeys(List<VerifyingKey> given, Path keys) {
    /// A PEM file does not say what its key is for, so it may be for either.
    private static final String UNNAMED = "pem";

    private static final Pattern PEM =
            Pattern.compile("-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----");

    public TrustedKeys {
        given = List.copyOf(given);
    }

    /// The keys of the installation itself. None is made.
    public static TrustedKeys of(Installation installation) {
        var keys = installation.keys();
        var given = new ArrayList<VerifyingKey>();
        if (keys.since(Purpose.LOG).isPresent()) {
            given.addAll(keys.verifying(Purpose.LOG, Installation.origin()));
        }
        if (keys.since(Purpose.ATTEST).isPresent()) {
            given.addAll(keys.verifying(Purpose.ATTEST, Installation.ATTESTER));
        }
        return new TrustedKeys(given, installation.state().resolve("keys"));
    }

    /// Reads keys: a line `name+hash+base64` each, or PEM.
    ///
    /// @throws KeyException if there is none, or one that signs nothing of ours
    public static List<VerifyingKey> parse(String text) {
        var found = new ArrayList<VerifyingKey>();
        Matcher pem = PEM.matcher(text);
        while (pem.find()) {
            found.add(VerifyingKey.parsePem(UNNAMED, pem.group()));
        }
        if (found.isEmpty()) {
            text.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(TrustedKeys::named)
                    .forEach(found::add);
        }
        if (found.isEmpty()) {
            throw new KeyException("there is no key");
        }
        return found;
    }

    private static VerifyingKey named(String line) {
        var key = VerifyingKey.parse(line);
        if (!key.name().equals(Installation.ATTESTER) && !isLog(key.name())) {
            throw new KeyException(
                    "a key of the name `" + key.name() + "` signs neither logs nor attestations");
        }
        return key;
    }

    private static boolean isLog(String origin) {
        return origin.equals(Installation.origin())
                || origin.startsWith(Installation.origin() + "/");
    }

    /// Those that may have signed the log of this name. A log of another name than ours has none.
    public List<VerifyingKey> log(String origin) {
        if (!isLog(origin)) {
            return List.of();
        }
        return led(
                Purpose.LOG,
                origin,
                given.stream()
                        .filter(
                                key ->
                                        key.name().equals(UNNAMED)
                                                || key.name().equals(origin)
                                                || key.name().equals(Installation.origin()))
                        .toList());
    }

    /// Those that may have signed an attestation whose `hint` says which key it was.
    public List<VerifyingKey> attestation(String hint) {
        var found = new ArrayList<>(all(Installation.ATTESTER));
        for (var key : all(UNNAMED)) {
            if (key.fingerprint().equals(hint)) {
                found.add(key);
            }
        }
        return found;
    }

    /// Whether there is a key that this attestation can be held against. One that cannot be read
    /// can: it is wrong by any key.
    boolean mayKnowAttester(byte[] bundle) {
        try {
            return !attestation(Attestation.hint(bundle)).isEmpty();
        } catch (AttestationException | KeyException e) {
            return true;
        }
    }

    private List<VerifyingKey> all(String name) {
        return led(
                Purpose.ATTEST,
                name,
                given.stream().filter(key -> key.name().equals(name)).toList());
    }

    private List<VerifyingKey> led(
            Purpose purpose, String name, Collection<VerifyingKey> beginnings) {
        return beginnings.stream()
                .flatMap(key -> Keys.follow(keys, purpose, key.named(name)).stream())
                .distinct()
                .toList();
    }
}
