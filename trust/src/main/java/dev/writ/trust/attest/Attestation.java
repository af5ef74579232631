// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import dev.writ.core.json.JsonException;
import dev.writ.trust.Json;
import dev.writ.trust.event.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A statement about a session whose signature was verified: an in-toto Statement v1 with a
/// predicate of ours. There is no other way to get one.
public final class Attestation {
    public static final String PREDICATE = "https://writ.dev/attestation/agent-run/v0.1";

    private static final String STATEMENT = "https://in-toto.io/Statement/v1";
    private static final String TYPE = "application/vnd.in-toto+json";
    private static final int MOST_BYTES = 32 * 1024 * 1024;

    private final Map<?, ?> predicate;

    private Attestation(Map<?, ?> predicate) {
        this.predicate = predicate;
    }

    /// Signs what is attested about `run`, as a Sigstore bundle.
    ///
    /// @param hint tells those who verify which key it was
    /// @throws AttestationException if nobody saw under which policy it ran
    public static byte[] sign(AgentRun run, String hint, Signer signer) {
        if (!Shape.isDigest(run.policy())) {
            throw new AttestationException(
                    "nothing can be attested about session `"
                            + run.session()
                            + "`: how it was opened, and under which policy, is not in the record");
        }
        var predicate = run.json();
        byte[] statement =
                Json.canonical(
                        Map.of(
                                "_type",
                                STATEMENT,
                                "subject",
                                subjects(predicate),
                                "predicateType",
                                PREDICATE,
                                "predicate",
                                predicate));
        return Envelope.sign(TYPE, statement, hint, signer).bundle();
    }

    /// Which key `bundle` says it was signed with. Anybody can have written that: it is of use only
    /// to find the key to verify with.
    public static String hint(byte[] bundle) {
        return Envelope.read(bundle).hint();
    }

    /// Verifies the signature, and then reads the same bytes.
    ///
    /// @throws AttestationException if it is not what `key` has signed, or not a statement about a
    /// session
    public static Attestation verify(byte[] bundle, Verifier key) {
        var envelope = Envelope.read(bundle);
        // ORDER: nothing inside is looked at before.
        if (!envelope.isSignedBy(key)) {
            throw new AttestationException(
                    "the signature is not by this key, or something was changed after signing");
        }
        if (!envelope.type().equals(TYPE)) {
            throw wrong("the type of the payload must be `" + TYPE + "`");
        }
        @Nullable Object json;
        try {
            json = Json.read(envelope.payload(), MOST_BYTES);
        } catch (JsonException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        if (!(json instanceof Map<?, ?> statement)
                || !statement
                        .keySet()
                        .equals(Set.of("_type", "subject", "predicateType", "predicate"))
                || !STATEMENT.equals(statement.get("_type"))) {
            throw wrong("not an in-toto statement, version 1");
        }
        if (!PREDICATE.equals(statement.get("predicateType"))) {
            throw wrong("the predicate must be `" + PREDICATE + "`");
        }
        if (!(statement.get("predicate") instanceof Map<?, ?> predicate)) {
            throw wrong("`predicate` must be a JSON object");
        }
        Shape.check(predicate);
        if (!subjects(predicate).equals(statement.get("subject"))) {
            throw wrong("the subjects are not the policy and the files of the predicate");
        }
        return new Attestation(predicate);
    }

    /// All that is said.
    public Map<?, ?> predicate() {
        return predicate;
    }

    /// The files that were written, as far as their contents are known.
    public List<WrittenFile> files() {
        var folder = predicate.get("folder");
        return files(predicate).stream().map(f -> WrittenFile.of(f, folder)).toList();
    }

    /// The policy first, so that there is always something that it is about; then the files.
    private static List<Object> subjects(Map<?, ?> predicate) {
        var subjects = new ArrayList<Object>();
        if (predicate.get("policy") instanceof Map<?, ?> policy
                && policy.get("digest") instanceof Map<?, ?> digest) {
            subjects.add(
                    Map.of(
                            "name",
                            "policy:" + Value.shown(policy.get("source")),
                            "digest",
                            digest));
        }
        for (var file : files(predicate)) {
            subjects.add(
                    Map.of(
                            "name",
                            WrittenFile.of(file, predicate.get("folder")).name(),
                            "digest",
                            Map.of("sha256", Value.shown(file.get("sha256")))));
        }
        return subjects;
    }

    private static List<Map<?, ?>> files(Map<?, ?> predicate) {
        var files = new ArrayList<Map<?, ?>>();
        if (predicate.get("filesWritten") instanceof Map<?, ?> map
                && map.get("listed") instanceof List<?> list) {
            for (@Nullable Object item : list) {
                if (item instanceof Map<?, ?> file
                        && file.get("sha256") instanceof String sha256
                        && !sha256.isEmpty()) {
                    files.add(file);
                }
            }
        }
        return files;
    }

    private static AttestationException wrong(String what) {
        return new AttestationException("signed, but not an attestation of a run: " + what);
    }
}
