// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineReaderTest {
    /// Gives its bytes in pieces of so many.
    private static InputStream inPieces(String text, int piece) {
        return new ByteArrayInputStream(text.getBytes(US_ASCII)) {
            @Override
            public int read(byte[] to) throws IOException {
                return read(to, 0, Math.min(to.length, piece));
            }
        };
    }

    private static List<String> lines(InputStream in) throws IOException {
        var reader = new LineReader(in, 5);
        var all = new ArrayList<String>();
        for (var line = reader.next(); line.isPresent(); line = reader.next()) {
            all.add(line.get().tooLong() ? "too long" : new String(line.get().bytes(), US_ASCII));
        }
        return all;
    }

    @Test
    void lines_are_found_however_they_come_and_long_ones_passed_over() throws IOException {
        for (int piece = 1; piece < 40; piece++) {
            assertThat(
                            lines(
                                    inPieces(
                                            "a\n\n12345\n123456\n" + "x".repeat(20) + "\nb\nrest",
                                            piece)))
                    .containsExactly("a", "", "12345", "too long", "too long", "b");
        }
    }
}
