// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.List;
import java.util.Optional;

/// Where the value of a secret comes from. Read by Writ itself, outside of every sandbox.
public sealed interface SecretSource {
    /// A variable of the operator's.
    record Variable(String name) implements SecretSource {}

    /// The one line in a file.
    record File(FilePath path) implements SecretSource {}

    /// The first line that a program prints.
    ///
    /// @param words the program and its arguments; no shell reads them
    record Command(List<String> words) implements SecretSource {
        public Command {
            words = List.copyOf(words);
        }
    }

    /// An entry in the operator's keyring.
    record Keyring(String name) implements SecretSource {}

    /// @throws SyntaxException if it is none
    static SecretSource parse(String text, Scope scope) {
        int colon = text.indexOf(':');
        String rest = text.substring(colon + 1);
        if (colon < 0 || rest.isBlank()) {
            throw unknown(text);
        }
        return switch (text.substring(0, colon)) {
            case "env" -> new Variable(variable(rest, colon + 1));
            case "file" -> new File(PathPattern.parseExact(rest, colon + 1, scope));
            case "command" -> new Command(words(rest, colon + 1));
            case "keyring" -> new Keyring(keyring(rest, colon + 1));
            default -> throw unknown(text);
        };
    }

    private static SyntaxException unknown(String text) {
        return SyntaxException.at(
                0,
                "unknown place for a secret: `" + Text.shown(text) + "`",
                "write `env:NAME`, `file:PATH`, `command:...` or `keyring:NAME`");
    }

    /// The name of a variable.
    ///
    /// @throws SyntaxException if it is none
    static String variable(String text, int offset) {
        boolean good =
                !text.isEmpty()
                        && !Text.isDigit(text.charAt(0))
                        && text.chars().allMatch(c -> Text.isPlain(c) || c == '_');
        if (!good) {
            throw SyntaxException.at(
                    offset,
                    "not a variable: `" + Text.shown(text) + "`",
                    "use letters, digits and `_`");
        }
        return text;
    }

    /// A program in the folder of the policy could be the agent's.
    private static List<String> words(String text, int offset) {
        var words = List.of(text.strip().split("\\s+"));
        if (words.getFirst().indexOf('/') > 0) {
            throw SyntaxException.at(
                    offset,
                    "a program for a secret cannot be found from a folder: `"
                            + Text.shown(words.getFirst())
                            + "`",
                    "write its whole path, or its name alone");
        }
        return words;
    }

    private static String keyring(String text, int offset) {
        Secret.checkName(text, offset);
        return text;
    }

    /// The program that must not be changed by an agent, because it runs as the operator.
    default Optional<FilePath> program() {
        return this instanceof Command(var words) && words.getFirst().startsWith("/")
                ? Optional.of(FilePath.of(words.getFirst()))
                : Optional.empty();
    }

    /// The file that must not be read by anybody else.
    default Optional<FilePath> file() {
        return this instanceof File(var path) ? Optional.of(path) : Optional.empty();
    }

    /// The variable that must not be seen by anybody else.
    default Optional<String> variable() {
        return this instanceof Variable(var name) ? Optional.of(name) : Optional.empty();
    }

    /// As it is written in a policy that stands in `scope`.
    default String text(Scope scope) {
        return switch (this) {
            case Variable(var name) -> "env:" + name;
            case File(var path) -> "file:" + PathPattern.print(path, scope);
            case Command(var words) -> "command:" + String.join(" ", words);
            case Keyring(var name) -> "keyring:" + name;
        };
    }
}
