// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.file;

import java.net.URI;
import java.nio.file.Path;
import java.util.HexFormat;

/// Paths of files whose names are any bytes.
public final class RawPath {
    private RawPath() {}

    /// The file of an absolute name.
    public static Path of(byte[] name) {
        return of("file://", name);
    }

    /// The file of a name in `folder`.
    public static Path in(Path folder, byte[] name) {
        String start = folder.toUri().toString();
        return of(start.endsWith("/") ? start : start + "/", name);
    }

    /// A path made from text goes through the locale, one made from a URI does not.
    private static Path of(String start, byte[] name) {
        var uri = new StringBuilder(start);
        for (byte b : name) {
            if (b == '/') {
                uri.append('/');
            } else {
                uri.append('%').append(HexFormat.of().toHexDigits(b));
            }
        }
        return Path.of(URI.create(uri.toString()));
    }
}
