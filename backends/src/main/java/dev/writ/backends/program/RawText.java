// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.core.capability.Text;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.HexFormat;

/// File names as [Text] has them: what is not UTF-8 equals no literal of a policy, which is proper
/// text. The locale of this JVM plays no part.
final class RawText {
    private RawText() {}

    /// The path of exactly these bytes.
    static Path path(String absolute) {
        if (isPlain(absolute)) {
            return Path.of(absolute);
        }
        // A path made from text goes through the locale, one made from a URI does not.
        var uri = new StringBuilder("file://");
        for (byte b : Text.bytes(absolute)) {
            if (b == '/') {
                uri.append('/');
            } else {
                uri.append('%').append(HexFormat.of().toHexDigits(b));
            }
        }
        return Path.of(URI.create(uri.toString()));
    }

    /// The bytes of `path`, as text.
    static String of(Path path) {
        String text = path.toString();
        if (isPlain(text)) {
            return text;
        }
        String rooted = Text.of(unescaped(Path.of("/").resolve(path).toUri().getRawPath()));
        String whole =
                rooted.endsWith("/")
                        ? rooted.substring(0, rooted.length() - 1)
                        : rooted; // a folder
        return path.isAbsolute() ? whole : whole.substring(1);
    }

    private static byte[] unescaped(String uri) {
        var out = new ByteArrayOutputStream(uri.length());
        byte[] in = uri.getBytes(US_ASCII);
        for (int i = 0; i < in.length; i++) {
            if (in[i] == '%') {
                out.write(HexFormat.fromHexDigits(uri, i + 1, i + 3));
                i += 2;
            } else {
                out.write(in[i]);
            }
        }
        return out.toByteArray();
    }

    private static boolean isPlain(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }
}
