// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// What a capability or an action is about: the word before the colon, and what follows it.
public enum Kind {
    READ("read:./src"),
    WRITE("write:./logs/*"),
    EXEC("exec:git push"),
    SHELL("shell:git,python3"),
    NET("net:GET=https://api.example.com/v1/**"),
    LISTEN("listen:127.0.0.1:8080"),
    UNIX("unix:/run/postgresql"),
    ENV("env:LANG"),
    SECRET("secret:github@https://api.github.com"),
    DEVICE("device:gpu"),
    TOOL("tool:mcp/github/create_issue"),
    LIMIT("limit:memory=512m");

    private final String word = name().toLowerCase(Locale.ROOT);
    private final String example;

    Kind(String example) {
        this.example = example;
    }

    /// The word before the colon.
    public String word() {
        return word;
    }

    /// A valid capability of this kind, for error messages.
    public String example() {
        return example;
    }

    static List<String> words() {
        return Arrays.stream(values()).map(Kind::word).toList();
    }

    /// Splits `text` at the colon and finds the kind.
    static Kind of(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw SyntaxException.unknownKind(
                    "missing `:` after the kind in `" + Text.shown(text) + "`",
                    "write it like `" + READ.example + "`");
        }
        String word = text.substring(0, colon);
        for (var kind : values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        String nearest = Nearest.suggestion(word.toLowerCase(Locale.ROOT), words());
        throw SyntaxException.unknownKind(
                "unknown kind `" + Text.shown(word) + "`",
                nearest.isEmpty() ? "the kinds are " + String.join(", ", words()) : nearest);
    }
}
