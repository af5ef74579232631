// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;

/// Which paths are meant: `*` and `?` within a name, `[a-z]`, `{a,b}`, and `**` for any number of
/// folders. Names that begin with a dot are like others. Decided in time that grows with the path.
final class GlobPattern {
    private static final int LONGEST = 1000;

    private final Pattern pattern;

    GlobPattern(String glob) {
        if (glob.isEmpty() || glob.length() > LONGEST || glob.startsWith("/")) {
            throw invalid("a pattern has 1 to " + LONGEST + " characters and begins with no slash");
        }
        try {
            pattern = Pattern.compile(expression(glob), Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            throw invalid("not a pattern: " + e.getDescription());
        }
    }

    boolean matches(String path) {
        return pattern.matches(path);
    }

    private static FileException invalid(String why) {
        return new FileException(Kind.INVALID, why);
    }

    private static String expression(String glob) {
        var out = new StringBuilder();
        int braces = 0;
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            boolean start = i == 0 || glob.charAt(i - 1) == '/';
            if (start && glob.startsWith("**/", i)) {
                out.append("(?:[^/]+/)*");
                i += 2;
            } else if (start && glob.substring(i).equals("**")) {
                out.append(".*");
                i++;
            } else if (c == '*') {
                out.append("[^/]*");
            } else if (c == '?') {
                out.append("[^/]");
            } else if (c == '[') {
                i = set(glob, i, out);
            } else if (c == '{') {
                out.append("(?:");
                braces++;
            } else if (c == '}' && braces > 0) {
                out.append(')');
                braces--;
            } else if (c == ',' && braces > 0) {
                out.append('|');
            } else {
                i += c == '\\' && i + 1 < glob.length() ? 1 : 0;
                out.append(Pattern.quote(glob.substring(i, i + 1)));
            }
        }
        if (braces > 0) {
            throw invalid("not a pattern: a brace is not closed");
        }
        return out.toString();
    }

    /// Writes the characters of `[...]`; where it ends.
    private static int set(String glob, int start, StringBuilder out) {
        int end = glob.indexOf(']', start + 2);
        if (end < 0) {
            throw invalid("not a pattern: a bracket is not closed");
        }
        boolean not = glob.charAt(start + 1) == '!' || glob.charAt(start + 1) == '^';
        out.append(not ? "[^/" : "[");
        for (int i = start + (not ? 2 : 1); i < end; i++) {
            char c = glob.charAt(i);
            boolean plain = c == '-' || Character.isLetterOrDigit(c);
            out.append(plain ? "" : "\\").append(c);
        }
        out.append(']');
        return end;
    }
}
