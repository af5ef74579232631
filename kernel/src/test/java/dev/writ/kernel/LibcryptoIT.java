// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The library of this machine digests as the JDK does.
class LibcryptoIT {
    private static final int PIECE = 1 << 18;

    @TempDir Path folder;

    @BeforeEach
    void given() {
        assumeTrue(Libcrypto.find().isPresent(), "no libcrypto.so.3 on this machine");
    }

    private static byte[] sha256(Path file, long most) {
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            int descriptor = files.open(FileCalls.AT_FDCWD, file.toString().getBytes(UTF_8), 0, 0);
            try {
                return Libcrypto.find().orElseThrow().sha256(descriptor, most);
            } finally {
                files.close(descriptor);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7})
    void a_file_has_the_digest_that_others_say(int size) throws Exception {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        var file = Files.write(folder.resolve("file"), content);
        var java = MessageDigest.getInstance("SHA-256");

        assertThat(sha256(file, size)).isEqualTo(java.digest(content));
        assertThat(sha256(file, Long.MAX_VALUE)).isEqualTo(java.digest(content));
        assertThat(sha256(file, size / 2))
                .as("what came later does not count")
                .isEqualTo(java.digest(Arrays.copyOf(content, size / 2)));
    }

    @Test
    void what_cannot_be_read_has_none() {
        assertThat(sha256(folder, 100)).isEmpty();
        assertThat(sha256(folder.resolve("missing"), 100)).isEmpty();
    }
}
