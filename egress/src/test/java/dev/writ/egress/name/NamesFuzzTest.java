// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.name;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Host;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Whatever is asked: a good reply or none, and an address only for a name that is known.
class NamesFuzzTest {
    private static final int ROUNDS = 50_000 * Integer.getInteger("writ.soak", 1);
    private static final List<String> LABELS =
            List.of("api", "example", "com", "evil", "arpa", "1", "xn--a", "a.b", "", "A", "\0");

    private final Random random = new Random(7);
    private final Names names = new Names(NamesFuzzTest::isKnown);

    private static boolean isKnown(Host host) {
        return host.toString().equals("api.example.com");
    }

    private byte[] message() {
        var labels = List.of("api", "example", "com");
        if (random.nextInt(3) == 0) {
            labels =
                    random.ints(random.nextInt(5), 0, LABELS.size()).mapToObj(LABELS::get).toList();
        }
        byte[] good = Messages.question(labels, random.nextInt(4) == 0 ? 28 : 1);
        return random.nextBoolean() ? good : Messages.withSize(good, random.nextInt(8) / 7);
    }

    private byte[] mutated(byte[] good) {
        byte[] bytes = good.clone();
        switch (random.nextInt(6)) {
            case 0 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
            case 1 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(300));
            case 2 -> random.nextBytes(bytes);
            default -> {
                for (int i = random.nextInt(4); i > 0; i--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
            }
        }
        return bytes;
    }

    @Test
    void whatever_is_asked_only_the_known_name_has_an_address() {
        int answered = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] message = mutated(message());
            var reply = names.answer(message).map(Messages::read);
            if (reply.isPresent() && !reply.get().addresses().isEmpty()) {
                answered++;
                assertThat(reply.get().addresses()).containsExactly("198.18.0.1");
                // The second opinion: the name stands there, letter by letter.
                assertThat(new String(message, 12, 17, ISO_8859_1).toLowerCase(Locale.ROOT))
                        .isEqualTo("\3api\7example\3com\0");
            }
        }
        assertThat(answered).isPositive();
    }
}
