// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.file.Path;
import java.util.HexFormat;

/// Text that the system has as bytes: arguments and file names.
///
/// A byte that is not UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF. So nothing is lost, two
/// different names stay different, and such text equals no literal of a policy, which is proper
/// text. The locale of this JVM plays no part.
final class RawText {
    private static final int ESCAPE = 0xDC00;

    private RawText() {}

    static String of(byte[] bytes) {
        String text = new String(bytes, UTF_8);
        return text.indexOf('\uFFFD') < 0 ? text : decode(ByteBuffer.wrap(bytes));
    }

    private static String decode(ByteBuffer in) {
        var decoder = UTF_8.newDecoder();
        var out = CharBuffer.allocate(in.remaining());
        while (true) {
            var result = decoder.decode(in, out, true);
            if (!result.isError()) {
                return out.flip().toString();
            }
            for (int i = 0; i < result.length(); i++) {
                out.put((char) (ESCAPE + (in.get() & 0xff)));
            }
            decoder.reset();
        }
    }

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
        String rooted = of(unescaped(Path.of("/").resolve(path).toUri().getRawPath()));
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
