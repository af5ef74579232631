// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.json.JsonException;
import dev.writ.trust.Json;
import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Signed bytes: a DSSE envelope, in a Sigstore bundle that names the key. Nothing in it is
/// believed before the signature was verified, and then only the bytes that were.
///
/// @param type what the payload is; signed together with it
/// @param hint which key signed; not signed itself
record Envelope(String type, byte[] payload, String hint, byte[] signature) {
    private static final String BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
    private static final int MOST_BYTES = 32 * 1024 * 1024;

    static Envelope sign(String type, byte[] payload, String hint, Signer signer) {
        return new Envelope(type, payload, hint, signer.sign(signed(type, payload)));
    }

    /// What the signature is over. The lengths make sure that no other type and payload give the
    /// same bytes.
    private static byte[] signed(String type, byte[] payload) {
        var out = new ByteArrayOutputStream(payload.length + 100);
        byte[] name = type.getBytes(UTF_8);
        out.writeBytes(("DSSEv1 " + name.length + " ").getBytes(UTF_8));
        out.writeBytes(name);
        out.writeBytes((" " + payload.length + " ").getBytes(UTF_8));
        out.writeBytes(payload);
        return out.toByteArray();
    }

    boolean isSignedBy(Verifier key) {
        return key.verify(signed(type, payload), signature);
    }

    byte[] bundle() {
        var base64 = Base64.getEncoder();
        return Json.canonical(
                Map.of(
                        "mediaType",
                        BUNDLE,
                        "verificationMaterial",
                        Map.of("publicKey", Map.of("hint", hint)),
                        "dsseEnvelope",
                        Map.of(
                                "payload",
                                base64.encodeToString(payload),
                                "payloadType",
                                type,
                                "signatures",
                                List.of(
                                        Map.of(
                                                "keyid",
                                                hint,
                                                "sig",
                                                base64.encodeToString(signature))))));
    }

    /// @throws AttestationException if it is not a bundle, or holds what is not checked here: no
    /// evidence that is there may be passed over
    static Envelope read(byte[] bundle) {
        @Nullable Object json;
        try {
            json = Json.read(bundle, MOST_BYTES);
        } catch (JsonException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        var whole = map(json, "the bundle", "mediaType", "verificationMaterial", "dsseEnvelope");
        if (!BUNDLE.equals(whole.get("mediaType"))) {
            throw wrong("`mediaType` must be `" + BUNDLE + "`");
        }
        var material =
                map(whole.get("verificationMaterial"), "`verificationMaterial`", "publicKey");
        var key = map(material.get("publicKey"), "`publicKey`", "hint");
        var envelope =
                map(
                        whole.get("dsseEnvelope"),
                        "`dsseEnvelope`",
                        "payload",
                        "payloadType",
                        "signatures");
        if (!(envelope.get("signatures") instanceof List<?> list) || list.size() != 1) {
            throw wrong("`signatures` must have exactly one signature");
        }
        var signature = map(list.getFirst(), "a signature", "keyid", "sig");
        text(signature, "keyid");
        return new Envelope(
                text(envelope, "payloadType"),
                bytes(envelope, "payload"),
                text(key, "hint"),
                bytes(signature, "sig"));
    }

    private static Map<?, ?> map(@Nullable Object json, String what, String... names) {
        if (!(json instanceof Map<?, ?> map)) {
            throw wrong(what + " must be a JSON object");
        }
        if (!map.keySet().equals(Set.of(names))) {
            throw wrong(what + " must have exactly " + String.join(", ", names));
        }
        return map;
    }

    private static String text(Map<?, ?> map, String name) {
        if (map.get(name) instanceof String text) {
            return text;
        }
        throw wrong("`" + name + "` must be a text");
    }

    private static byte[] bytes(Map<?, ?> map, String name) {
        String text = text(map, name);
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            if (Base64.getEncoder().encodeToString(bytes).equals(text)) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw wrong("`" + name + "` must be base64 with padding");
    }

    private static AttestationException wrong(String what) {
        return new AttestationException("not a bundle: " + what);
    }
}
