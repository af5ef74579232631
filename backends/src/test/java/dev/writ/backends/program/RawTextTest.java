// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RawTextTest {
    @TempDir Path folder;

    @Test
    void proper_text_is_itself() {
        assertThat(Text.of(new byte[] {'p', (byte) 0xc3, (byte) 0xbc})).isEqualTo("pü");
        assertThat(Text.of("\uFFFD😀".getBytes(UTF_8))).isEqualTo("\uFFFD😀");
    }

    @Test
    void a_wrong_byte_equals_no_proper_text() {
        assertThat(Text.of(new byte[] {'p', (byte) 0xff})).isEqualTo("p\uDCFF");
        // A surrogate that somebody has encoded does not pass for one of ours.
        assertThat(Text.of(new byte[] {(byte) 0xed, (byte) 0xb3, (byte) 0xbf}))
                .isEqualTo("\uDCED\uDCB3\uDCBF");
    }

    @Test
    void every_row_of_bytes_comes_back() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            random.nextBytes(bytes);

            assertThat(Text.bytes(Text.of(bytes))).as("seed %d", seed).isEqualTo(bytes);
        }
    }

    @Test
    void a_file_whose_name_is_no_text_is_found_again() throws IOException {
        String name = folder.toRealPath() + "/a\uDCFF%41 ü";

        var file = Files.createFile(RawText.path(name));
        var directory = Files.createDirectory(RawText.path(name + "x"));

        assertThat(RawText.of(file)).isEqualTo(name);
        assertThat(RawText.of(directory)).isEqualTo(name + "x");
        assertThat(RawText.of(file.getFileName())).isEqualTo("a\uDCFF%41 ü");
        assertThat(RawText.of(Path.of("/"))).isEqualTo("/");
    }
}
