// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ExcerptTest {
    private static Excerpt of(String text, int piece) {
        var excerpt = new Excerpt(5);
        for (int i = 0; i < text.length(); i += piece) {
            String part = text.substring(i, Math.min(text.length(), i + piece));
            excerpt.write(part.getBytes(US_ASCII));
        }
        return excerpt;
    }

    @Test
    void what_is_short_is_kept_whole_however_it_comes() {
        String text = "0123456789";
        for (int length = 0; length <= text.length(); length++) {
            for (int piece = 1; piece <= 10; piece++) {
                String part = text.substring(0, length);

                assertThat(of(part, piece).text()).isEqualTo(part);
                assertThat(of(part, piece).isCut()).isFalse();
            }
        }
    }

    @Test
    void of_what_is_long_beginning_and_end_are_kept() {
        var random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            int length = 11 + random.nextInt(100);
            var text = new StringBuilder();
            random.ints(length, 'a', 'z').forEach(c -> text.append((char) c));

            assertThat(of(text.toString(), 1 + random.nextInt(30)).text())
                    .isEqualTo(
                            text.substring(0, 5)
                                    + "\n[writ: "
                                    + (length - 10)
                                    + " bytes are left out here]\n"
                                    + text.substring(length - 5));
        }
    }
}
