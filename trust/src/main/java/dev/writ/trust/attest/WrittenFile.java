// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import dev.writ.trust.event.Value;
import dev.writ.trust.file.RawPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A file that a session has left behind, and whose contents are known.
///
/// @param name for people; relative to the folder of the session, if it lies in there
/// @param sha256 of its contents at the end
/// @param bytes of the same name, one character each; empty if it is too long to be known
public record WrittenFile(String name, String sha256, String bytes) {
    static WrittenFile of(Map<?, ?> file, @Nullable Object folder) {
        var path = file.get("path");
        String start = bytes(folder);
        String bytes = bytes(path);
        boolean inside = !start.isEmpty() && bytes.startsWith(start + "/");
        String relative = inside ? bytes.substring(start.length() + 1) : bytes;
        String shown =
                path instanceof String
                        ? new String(relative.getBytes(ISO_8859_1), UTF_8)
                        : Value.shown(path);
        return new WrittenFile(Text.shown(shown), Value.shown(file.get("sha256")), relative);
    }

    private static String bytes(@Nullable Object path) {
        if (path instanceof String text) {
            return new String(text.getBytes(UTF_8), ISO_8859_1);
        }
        try {
            return path instanceof Map<?, ?> map && map.get("base64") instanceof String base64
                    ? new String(Base64.getDecoder().decode(base64), ISO_8859_1)
                    : "";
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /// Why the file of this name in `folder` is not what the session left; empty if it is.
    public Optional<String> difference(Path folder) {
        if (bytes.isEmpty()) {
            return Optional.of("cannot be looked up: its whole name is not known");
        }
        if (List.of(bytes.split("/", -1)).stream().anyMatch(s -> s.isEmpty() || s.equals(".."))) {
            return Optional.of("cannot be looked up: it lies outside of the folder");
        }
        try {
            var file = RawPath.in(folder, bytes.getBytes(ISO_8859_1));
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of("is not there");
            }
            try (var in = Files.newInputStream(file)) {
                return Value.sha256(in).equals(sha256)
                        ? Optional.empty()
                        : Optional.of("has other contents");
            }
        } catch (IOException | IllegalArgumentException e) {
            return Optional.of("cannot be read: " + e.getMessage());
        }
    }
}
