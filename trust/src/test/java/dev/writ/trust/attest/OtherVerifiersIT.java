// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.trust.event.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Attestations verified by code of others. Each is also shown to refuse a changed bit, so that it
/// is known to look.
class OtherVerifiersIT {
    private static final Path NODE = Path.of("src/test/node").toAbsolutePath();

    private final Ed25519 key = new Ed25519();
    @TempDir private Path folder;

    @Test
    void sigstore_accepts_it_and_refuses_any_change() throws Exception {
        assumeTrue(has("node") && has("npm"), "node and npm are not here");
        for (var name : List.of("package.json", "package-lock.json", "verify.js")) {
            Files.copy(NODE.resolve(name), folder.resolve(name));
        }
        var installed = run(Map.of(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
        assumeTrue(installed.code() == 0, "@sigstore/verify could not be installed by npm");
        byte[] right = bundle();
        var commands = new ArrayList<>(List.of("node", "verify.js"));
        commands.add(write("right.json", right));
        for (var part : List.of("payload", "sig", "payloadType")) {
            commands.add(write(part + ".json", Tampering.flip(right, part)));
        }

        var verified = run(Map.of("KEY", "key.pem"), commands.toArray(String[]::new));

        assertThat(verified.output())
                .isEqualTo(
                        """
                        ok
                        refused SIGNATURE_ERROR
                        refused SIGNATURE_ERROR
                        refused SIGNATURE_ERROR
                        """);
    }

    @Test
    void openssl_accepts_it_and_refuses_any_change() throws Exception {
        assumeTrue(has("openssl"), "openssl is not here");
        byte[] right = bundle();

        assertThat(openssl(right)).isZero();
        for (var part : List.of("payload", "sig", "payloadType")) {
            assertThat(openssl(Tampering.flip(right, part))).as(part).isNotZero();
        }
    }

    /// What is signed, put together here once more from the standard.
    private int openssl(byte[] bundle) throws Exception {
        var envelope = Envelope.read(bundle);
        byte[] head =
                ("DSSEv1 "
                                + envelope.type().length()
                                + " "
                                + envelope.type()
                                + " "
                                + envelope.payload().length
                                + " ")
                        .getBytes(US_ASCII);
        byte[] signed = Arrays.copyOf(head, head.length + envelope.payload().length);
        System.arraycopy(envelope.payload(), 0, signed, head.length, envelope.payload().length);
        return run(
                        Map.of(),
                        "openssl",
                        "pkeyutl",
                        "-verify",
                        "-pubin",
                        "-inkey",
                        "key.pem",
                        "-rawin",
                        "-in",
                        write("signed", signed),
                        "-sigfile",
                        write("signature", envelope.signature()))
                .code();
    }

    private byte[] bundle() throws IOException {
        key.writePublicKey(folder.resolve("key.pem"));
        return Attestation.sign(AttestationTest.run(Samples.all()), "key1", key);
    }

    private String write(String name, byte[] bytes) throws IOException {
        Files.write(folder.resolve(name), bytes);
        return name;
    }

    private boolean has(String program) throws Exception {
        try {
            run(Map.of(), program, program.equals("openssl") ? "version" : "--version");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private record Ended(int code, String output) {}

    private Ended run(Map<String, String> variables, String... command) throws Exception {
        var output = folder.resolve("output");
        var builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().putAll(variables);
        var process = builder.start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return new Ended(-1, "still running");
        }
        return new Ended(process.exitValue(), Files.readString(output));
    }
}
