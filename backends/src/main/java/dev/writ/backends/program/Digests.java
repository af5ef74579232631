// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.digest.Sha256;
import java.io.IOException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What is in programs, as digests.
final class Digests {
    /// Longer files are not read to their end.
    static final long MOST_READ = 256L << 20;

    private static final int MOST_KNOWN = 1000;

    private final Map<FileId, byte[]> known = new ConcurrentHashMap<>();

    /// Of a file that nobody in the sandbox can change: it is read again only if somebody else has.
    /// git starts a second copy of itself hundreds of times, and everybody waits meanwhile.
    byte[] ofLasting(FileId id, Path contents) throws IOException {
        byte[] digest = known.get(id);
        if (digest == null) {
            digest = of(contents);
            if (known.size() < MOST_KNOWN) {
                known.put(id, digest);
            }
        }
        return digest;
    }

    static byte[] of(Path contents) throws IOException {
        try (var in = new DigestInputStream(Contents.stream(contents), Sha256.begin())) {
            byte[] buffer = new byte[1 << 16];
            long rest = MOST_READ;
            int read;
            while (rest > 0 && (read = in.read(buffer)) >= 0) {
                rest -= read;
            }
            return in.getMessageDigest().digest();
        }
    }
}
