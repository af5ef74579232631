// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An absolute path without `.`, `..` or empty segments. Compared by segment, never as text:
/// `/work` is no prefix of `/workshop`.
public record FilePath(List<String> segments) {
    public static final FilePath ROOT = new FilePath(List.of());

    public FilePath {
        segments = List.copyOf(segments);
        for (var segment : segments) {
            if (segment.isEmpty()
                    || segment.equals(".")
                    || segment.equals("..")
                    || segment.indexOf('/') >= 0
                    || segment.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("not a path segment: `" + segment + "`");
            }
        }
    }

    /// Reads an absolute path as the system writes it: no escapes, no wildcards.
    public static FilePath of(String absolute) {
        if (!absolute.startsWith("/")) {
            throw new IllegalArgumentException("path must be absolute: `" + absolute + "`");
        }
        return ROOT.resolve(absolute);
    }

    /// This path with `relative` walked from it, by name only.
    public FilePath resolve(String relative) {
        var result = new ArrayList<>(segments);
        for (var segment : relative.split("/")) {
            append(result, segment);
        }
        return new FilePath(result);
    }

    static void append(List<String> segments, String segment) {
        switch (segment) {
            case "", "." -> {}
            case ".." -> {
                if (!segments.isEmpty()) {
                    segments.removeLast();
                }
            }
            default -> segments.add(segment);
        }
    }

    public boolean startsWith(FilePath ancestor) {
        int n = ancestor.segments.size();
        return n <= segments.size() && segments.subList(0, n).equals(ancestor.segments);
    }

    /// The folder this path is in; the root is in itself.
    public FilePath parent() {
        return segments.isEmpty() ? this : new FilePath(segments.subList(0, segments.size() - 1));
    }

    // What a record has by itself is put together when it is first used, which takes a JVM 10 ms.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FilePath path && segments.equals(path.segments);
    }

    @Override
    public int hashCode() {
        return segments.hashCode();
    }

    @Override
    public String toString() {
        return "/" + String.join("/", segments);
    }
}
