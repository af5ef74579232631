// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.writ.trust.file.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// The secret of those who may speak to the server. It is made once and kept, because clients have
/// it in their settings; whoever removes the file gets another one.
final class TokenFile {
    private static final String PRIVATE = "rw-------";

    private TokenFile() {}

    /// @param folder Writ's own
    static String read(Path folder, Path file) throws IOException {
        WholeFile.privateFolder(folder);
        if (Files.notExists(file, NOFOLLOW_LINKS)) {
            return WholeFile.newSecret(file);
        }
        var permissions = Files.getPosixFilePermissions(file, NOFOLLOW_LINKS);
        if (!Files.isRegularFile(file, NOFOLLOW_LINKS)
                || !permissions.equals(PosixFilePermissions.fromString(PRIVATE))
                || !Files.getOwner(file, NOFOLLOW_LINKS).equals(Files.getOwner(folder))) {
            throw new IOException(
                    "`" + file + "` is not private; remove it, and a new one is made");
        }
        String token = Files.readString(file, US_ASCII).strip();
        if (!token.matches("[0-9a-f]{64}")) {
            throw new IOException(
                    "`" + file + "` holds no token; remove it, and a new one is made");
        }
        return token;
    }
}
