// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NoteTest {
    private final SigningKey key = SigningKey.make("log.example/1");
    private final List<VerifyingKey> trusted = List.of(key.verifying());

    @Test
    void a_key_is_read_as_it_is_written() {
        var open = key.verifying();

        assertThat(VerifyingKey.parse(open.toString())).isEqualTo(open);
        assertThat(VerifyingKey.parsePem(open.name(), open.pem())).isEqualTo(open);
        assertThatThrownBy(() -> VerifyingKey.parse("x" + open)).isInstanceOf(KeyException.class);
        assertThatThrownBy(() -> open.named("a b")).isInstanceOf(KeyException.class);
        assertThatThrownBy(() -> open.named("a+b")).isInstanceOf(KeyException.class);
        assertThatThrownBy(() -> open.named("")).isInstanceOf(KeyException.class);
        assertThat(key.toString()).contains(open.toString());
    }

    /// A key and a note of others: the example of the Go project.
    @Test
    void the_id_is_of_name_and_key() {
        var open =
                VerifyingKey.parse(
                        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
        assertThat(open.name()).isEqualTo("PeterNeumann");
        String note =
                """
                If you think cryptography is the answer to your problem,
                then you don't know what your problem is.

                \u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
                """;

        assertThat(Note.open(note.getBytes(UTF_8), List.of(open)).text())
                .startsWith("If you think")
                .endsWith("problem is.\n");
    }

    @Test
    void a_note_is_believed_as_it_was_signed_and_not_otherwise() {
        byte[] note = Note.sign("one\ntwo\n", key);

        assertThat(Note.open(note, trusted)).isEqualTo(new Note("one\ntwo\n", key.verifying()));
        for (int bit = 0; bit < 8 * note.length; bit++) {
            byte[] bad = note.clone();
            bad[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> Note.open(bad, trusted)).isInstanceOf(KeyException.class);
        }
        assertThatThrownBy(() -> Note.open(note, List.of())).isInstanceOf(KeyException.class);
        var renamed = List.of(key.verifying().named("other"));
        assertThatThrownBy(() -> Note.open(note, renamed)).isInstanceOf(KeyException.class);
    }

    @Test
    void signatures_of_strangers_are_passed_over() {
        var stranger = SigningKey.make("stranger");
        String ours = new String(Note.sign("text\n", key), UTF_8);
        String theirs = new String(Note.sign("text\n", stranger), UTF_8).substring(6);

        assertThat(Note.open((ours + theirs).getBytes(UTF_8), trusted).signer())
                .isEqualTo(key.verifying());
        assertThatThrownBy(() -> Note.open(("text\n\n" + theirs).getBytes(UTF_8), trusted))
                .hasMessageContaining("not signed by a key that is trusted here");
    }

    @Test
    void random_bytes_are_no_notes() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        byte[] note = Note.sign("one\ntwo\n", key);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            if (i % 2 == 0) {
                bytes = note.clone();
                for (int j = 0; j <= random.nextInt(4); j++) {
                    bytes[random.nextInt(bytes.length)] =
                            (byte) "\n \u0000+=A\u00ff".charAt(random.nextInt(7));
                }
            }
            if (!Arrays.equals(bytes, note)) {
                byte[] bad = bytes;
                assertThatThrownBy(() -> Note.open(bad, trusted))
                        .as("seed " + seed)
                        .isInstanceOf(KeyException.class);
            }
        }
    }
}
