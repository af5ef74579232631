// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The first line of a script: which program is to read it. Taken apart as the kernel does it.
///
/// @param argument everything behind the interpreter, as one argument; none or one
record Shebang(String interpreter, List<String> argument) {
    private static final int LOOKED_AT = 256;

    Shebang {
        argument = List.copyOf(argument);
    }

    static Optional<Shebang> of(Path script) throws IOException {
        try (var in = Contents.stream(script)) {
            return of(in.readNBytes(LOOKED_AT));
        }
    }

    static Optional<Shebang> of(byte[] start) {
        int end = 0;
        while (end < Math.min(start.length, LOOKED_AT) && start[end] != '\n') {
            end++;
        }
        // The last byte that is looked at is only ever the end of the line.
        String line = Text.of(Arrays.copyOf(start, Math.min(end, LOOKED_AT - 1)));
        if (!line.startsWith("#!")) {
            return Optional.empty();
        }
        String rest = line.substring(skipBlanks(line, 2));
        int blank = 0;
        while (blank < rest.length() && !isBlank(rest.charAt(blank)) && rest.charAt(blank) != 0) {
            blank++;
        }
        if (blank == 0) {
            return Optional.empty();
        }
        String behind = rest.substring(skipBlanks(rest, blank));
        int zero = behind.indexOf('\0');
        String argument = zero < 0 ? withoutBlankEnd(behind) : behind.substring(0, zero);
        return Optional.of(
                new Shebang(
                        rest.substring(0, blank),
                        argument.isEmpty() ? List.of() : List.of(argument)));
    }

    private static int skipBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static String withoutBlankEnd(String text) {
        int end = text.length();
        while (end > 0 && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
