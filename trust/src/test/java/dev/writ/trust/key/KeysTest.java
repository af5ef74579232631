// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.trust.key.Keys.Purpose;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeysTest {
    @TempDir Path folder;

    @Test
    void a_key_is_made_once_and_is_its_owners_alone() throws Exception {
        var keys = new Keys(folder.resolve("keys"));

        var first = keys.signing(Purpose.LOG, "a.example/log").verifying();

        assertThat(keys.signing(Purpose.LOG, "a.example/log").verifying()).isEqualTo(first);
        assertThat(keys.signing(Purpose.ATTEST, "a.example/log").verifying()).isNotEqualTo(first);
        assertThat(mode(folder.resolve("keys"))).isEqualTo("rwx------");
        assertThat(mode(folder.resolve("keys/log.pem"))).isEqualTo("rw-------");
    }

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void many_who_need_the_first_key_at_once_get_the_same() throws Exception {
        var keys = new Keys(folder.resolve("keys"));
        try (var threads = Executors.newFixedThreadPool(8)) {
            var tasks = new ArrayList<Callable<VerifyingKey>>();
            for (int i = 0; i < 32; i++) {
                tasks.add(() -> keys.signing(Purpose.LOG, "log").verifying());
            }
            var found = new ArrayList<VerifyingKey>();
            for (var answer : threads.invokeAll(tasks)) {
                found.add(answer.get());
            }

            assertThat(found).hasSize(32).containsOnly(found.getFirst());
        }
    }

    @Test
    void a_key_that_others_can_read_or_replace_is_refused() throws Exception {
        var keys = new Keys(folder.resolve("keys"));
        keys.signing(Purpose.LOG, "log");
        var file = folder.resolve("keys/log.pem");

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> keys.signing(Purpose.LOG, "log"))
                .isInstanceOf(KeyException.class)
                .hasMessageContaining("rw-r-----")
                .hasMessageContaining("chmod 600");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.setPosixFilePermissions(
                folder.resolve("keys"), PosixFilePermissions.fromString("rwxrwx---"));
        assertThatThrownBy(() -> keys.signing(Purpose.LOG, "log"))
                .hasMessageContaining("chmod 700");
        Files.setPosixFilePermissions(
                folder.resolve("keys"), PosixFilePermissions.fromString("rwx------"));
        keys.signing(Purpose.LOG, "log");
    }

    @Test
    void a_key_of_somebody_else_is_refused() throws Exception {
        assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
                "only root can give files away");
        var keys = new Keys(folder.resolve("keys"));
        keys.signing(Purpose.LOG, "log");

        Files.setAttribute(folder.resolve("keys/log.pem"), "unix:uid", 65534);

        assertThatThrownBy(() -> keys.signing(Purpose.LOG, "log"))
                .isInstanceOf(KeyException.class)
                .hasMessageContaining("belongs to user 65534");
    }

    @Test
    void what_is_no_key_is_refused_and_not_replaced() throws Exception {
        var keys = new Keys(folder.resolve("keys"));
        keys.signing(Purpose.LOG, "log");
        var file = folder.resolve("keys/log.pem");
        Files.writeString(file, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");

        assertThatThrownBy(() -> keys.signing(Purpose.LOG, "log")).isInstanceOf(KeyException.class);
        assertThat(file).content().contains("AAAA");
    }

    @Test
    void who_trusts_the_first_key_can_follow_to_the_last() {
        var keys = new Keys(folder.resolve("keys"));
        var first = keys.signing(Purpose.LOG, "log").verifying();
        var second = keys.rotate(Purpose.LOG, "log").verifying();
        var third = keys.rotate(Purpose.LOG, "log").verifying();

        assertThat(Keys.follow(folder.resolve("keys"), Purpose.LOG, first))
                .containsExactly(first, second, third);
        assertThat(Keys.follow(folder.resolve("keys"), Purpose.LOG, second))
                .containsExactly(second, third);
        assertThat(Keys.follow(folder.resolve("keys"), Purpose.ATTEST, first))
                .containsExactly(first);
        assertThat(keys.verifying(Purpose.LOG, "log"))
                .containsExactlyInAnyOrder(first, second, third)
                .startsWith(third);
    }

    @Test
    void a_handover_that_the_old_key_did_not_sign_leads_nowhere() throws Exception {
        var keys = new Keys(folder.resolve("keys"));
        var first = keys.signing(Purpose.LOG, "log").verifying();
        keys.rotate(Purpose.LOG, "log");
        var note = folder.resolve("keys/handovers/log-1.note");
        var lines = new ArrayList<>(Files.readAllLines(note));
        var forger = SigningKey.make("writ/keys/log");
        lines.set(3, Base64.getEncoder().encodeToString(forger.verifying().point()));
        Files.writeString(note, String.join("\n", lines) + "\n");

        assertThatThrownBy(() -> Keys.follow(folder.resolve("keys"), Purpose.LOG, first))
                .isInstanceOf(KeyException.class);

        String text = Note.unverifiedText(Files.readAllBytes(note));
        Files.write(note, Note.sign(text, forger));
        assertThatThrownBy(() -> Keys.follow(folder.resolve("keys"), Purpose.LOG, first))
                .isInstanceOf(KeyException.class);
    }

    @Test
    void openssl_reads_the_key_and_checks_its_signatures() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/openssl")), "openssl is not here");
        var key = SigningKey.make("log");
        var secret = folder.resolve("key.pem");
        key.save(secret);
        var open = folder.resolve("public.pem");
        Files.writeString(open, key.verifying().pem());
        var message = Files.writeString(folder.resolve("message"), "hello");
        var signature = Files.write(folder.resolve("signature"), key.sign("hello".getBytes(UTF_8)));

        assertThat(run("openssl", "pkey", "-in", secret.toString(), "-pubout"))
                .isEqualTo(key.verifying().pem());
        var command =
                List.of(
                        "openssl",
                        "pkeyutl",
                        "-verify",
                        "-pubin",
                        "-inkey",
                        open.toString(),
                        "-rawin",
                        "-in",
                        message.toString(),
                        "-sigfile",
                        signature.toString());
        assertThat(run(command.toArray(String[]::new))).contains("Verified Successfully");
        Files.writeString(message, "hellO");
        assertThat(run(command.toArray(String[]::new))).doesNotContain("Verified Successfully");
    }

    private static String run(String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }
}
