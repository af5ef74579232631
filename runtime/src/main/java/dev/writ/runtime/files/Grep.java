// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.writ.core.file.FileAccess;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.Spot;
import dev.writ.trust.RegexSize;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Searches the contents of files. Each is judged when it is opened; what is no text is left out.
/// Of a long line the first 64 KB are searched, of a long file the first 8 MB.
public final class Grep {
    private static final int LARGEST = 1000;
    private static final int LONGEST_SHOWN = 4096;
    private static final int LONGEST_LINE = 1 << 16;
    private static final long MOST_READ = 1L << 30;

    /// What is looked for.
    ///
    /// @param regex whether the pattern is a regular expression (RE2), and no plain text
    /// @param glob which paths are looked at, seen from where the search begins; empty for all
    /// @param most how many lines
    public record Query(
            String pattern, boolean regex, boolean ignoreCase, Optional<String> glob, int most) {}

    /// A line that fits.
    ///
    /// @param path seen from where the search began; empty if that is the file itself
    /// @param number from 1 on
    /// @param text its beginning, if it is long
    public record Line(String path, long number, String text) {}

    private final FileAccess access;
    private final Pattern pattern;
    private final Optional<GlobPattern> glob;
    private final Hits<Line> hits;
    private final Descent descent;
    private long left = MOST_READ;

    Grep(FileAccess access, Query query) {
        this.access = access;
        this.pattern = pattern(query);
        this.glob = query.glob().map(GlobPattern::new);
        this.hits = new Hits<>(query.most());
        this.descent = new Descent(access, hits);
    }

    private static Pattern pattern(Query query) {
        String text = query.pattern();
        if (text.isEmpty() || text.length() > LARGEST) {
            throw new FileException(Kind.INVALID, "a pattern has 1 to " + LARGEST + " characters");
        }
        if (query.regex() && RegexSize.of(text, LARGEST).isEmpty()) {
            throw new FileException(Kind.INVALID, "the regular expression repeats too much");
        }
        try {
            return Pattern.compile(
                    query.regex() ? text : Pattern.quote(text),
                    query.ignoreCase() ? Pattern.CASE_INSENSITIVE : 0);
        } catch (PatternSyntaxException e) {
            throw new FileException(
                    Kind.INVALID, "not a regular expression of RE2: " + e.getDescription());
        }
    }

    Found<Line> search(Spot top) {
        try {
            descent.each(
                    top,
                    (path, entry, spot) -> {
                        if (entry.type() == FileStatus.Type.FILE && isWanted(path)) {
                            search(path, spot);
                        }
                        return true;
                    });
        } catch (FileException e) {
            if (e.kind() != Kind.NO_FOLDER) {
                throw e;
            }
            searchOne("", top);
        }
        return hits.found();
    }

    private boolean isWanted(String path) {
        return glob.isEmpty() || glob.get().matches(path);
    }

    private void search(String path, Spot spot) {
        try {
            searchOne(path, spot);
        } catch (FileException e) {
            descent.leaveOut(e);
        }
    }

    private void searchOne(String path, Spot spot) {
        byte[] bytes;
        try (var file = hits.patiently(() -> access.read(spot))) {
            bytes = SessionFiles.bytes(file, 0, SessionFiles.MOST_BYTES);
        }
        left -= bytes.length;
        if (left < 0) {
            hits.cut("more than " + MOST_READ + " bytes");
        }
        if (isText(bytes)) {
            lines(path, bytes);
        }
    }

    private static boolean isText(byte[] bytes) {
        for (int i = 0; i < Math.min(bytes.length, 8192); i++) {
            if (bytes[i] == 0) {
                return false;
            }
        }
        return true;
    }

    private void lines(String path, byte[] bytes) {
        int start = 0;
        long number = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length ? start < i : bytes[i] == '\n') {
                if (!hits.isInTime()) {
                    return;
                }
                number++;
                int end = i > start && bytes[i - 1] == '\r' ? i - 1 : i;
                int length = Math.min(end - start, LONGEST_LINE);
                String line = new String(bytes, start, length, StandardCharsets.UTF_8);
                if (pattern.matcher(line).find()) {
                    hits.add(new Line(path, number, beginning(line)));
                }
                start = i + 1;
            }
        }
    }

    private static String beginning(String line) {
        if (line.length() <= LONGEST_SHOWN) {
            return line;
        }
        boolean pair = Character.isHighSurrogate(line.charAt(LONGEST_SHOWN - 1));
        return line.substring(0, pair ? LONGEST_SHOWN - 1 : LONGEST_SHOWN);
    }
}
