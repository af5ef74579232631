// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.policy.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the plainest YAML, line by line: `key: word`, `key: [word, word]`, `key:` with `- text`
/// below it, and comments. All profiles are written in it, and to get the whole of YAML going takes
/// a JVM longer than anything else in a policy.
///
/// For what is shipped with Writ only: what others write is read by [YamlReader] alone. Whatever
/// else a text has in it is left to that one, too, and what is read here is read alike there.
final class PlainYaml {
    private static final int LONGEST_KEY = 32;
    private static final int INDENT = 2;
    private static final String IN_WORDS = "_-./~";
    private static final String IN_TEXTS = IN_WORDS + " :*=+@,";

    private final String place;
    private final List<Yaml.Field> fields = new ArrayList<>();
    private List<Yaml> items = new ArrayList<>();
    private Yaml.@Nullable Text listKey;
    private int listLine;
    private int line;

    private PlainYaml(String place) {
        this.place = place;
    }

    /// The document; nothing if it has to be read with more care.
    static Optional<Yaml> read(String text, String place) {
        if (text.length() > YamlReader.MOST_CHARACTERS) {
            return Optional.empty();
        }
        var reader = new PlainYaml(place);
        int end;
        for (int start = 0; start < text.length(); start = end + 1) {
            int newline = text.indexOf('\n', start);
            end = newline < 0 ? text.length() : newline;
            reader.line++;
            if (!reader.line(text.substring(start, end))) {
                return Optional.empty();
            }
        }
        return reader.endList() && !reader.fields.isEmpty()
                ? Optional.of(
                        new Yaml.Fields(reader.fields, reader.fields.getFirst().key().source()))
                : Optional.empty();
    }

    private boolean line(String text) {
        int indent = 0;
        while (indent < text.length() && text.charAt(indent) == ' ') {
            indent++;
        }
        if (indent == text.length()) {
            return true;
        }
        if (text.charAt(indent) == '#') {
            return isPrintable(text);
        }
        if (indent == 0) {
            return endList() && field(text);
        }
        return indent == INDENT && listKey != null && item(text);
    }

    private boolean item(String text) {
        String value = text.startsWith("- ", INDENT) ? text.substring(INDENT + 2) : "";
        if (!isPlain(value, IN_TEXTS)) {
            return false;
        }
        if (items.isEmpty()) {
            listLine = line;
        }
        items.add(text(value, INDENT + 2));
        return true;
    }

    private boolean field(String text) {
        int colon = text.indexOf(':');
        if (colon < 1 || colon > LONGEST_KEY || !isKey(text, colon)) {
            return false;
        }
        var key = text(text.substring(0, colon), 0);
        if (fields.stream().anyMatch(f -> f.key().value().equals(key.value()))) {
            return false;
        }
        if (colon == text.length() - 1) {
            listKey = key;
            return true;
        }
        int start = colon + 2;
        if (!text.startsWith(": ", colon)) {
            return false;
        }
        if (text.startsWith("[", start) && text.endsWith("]")) {
            return words(key, text, start);
        }
        String value = text.substring(start);
        fields.add(new Yaml.Field(key, text(value, start)));
        return isPlain(value, IN_WORDS);
    }

    private boolean words(Yaml.Text key, String text, int open) {
        var words = new ArrayList<Yaml>();
        int end;
        for (int start = open + 1; start < text.length(); start = end + 2) {
            int comma = text.indexOf(", ", start);
            end = comma < 0 ? text.length() - 1 : comma;
            String word = text.substring(start, end);
            if (!isPlain(word, IN_WORDS)) {
                return false;
            }
            words.add(text(word, start));
        }
        fields.add(new Yaml.Field(key, new Yaml.Items(words, source(line, open))));
        return !words.isEmpty();
    }

    /// A key without a value has to have a list.
    private boolean endList() {
        if (listKey != null) {
            if (items.isEmpty()) {
                return false;
            }
            fields.add(new Yaml.Field(listKey, new Yaml.Items(items, source(listLine, INDENT))));
            items = new ArrayList<>();
            listKey = null;
        }
        return true;
    }

    private Yaml.Text text(String value, int column) {
        return new Yaml.Text(value, source(line, column), column + 1);
    }

    private Source source(int atLine, int column) {
        return new Source(place, atLine, column + 1);
    }

    private static boolean isKey(String text, int end) {
        for (int i = 0; i < end; i++) {
            if (text.charAt(i) < 'a' || text.charAt(i) > 'z') {
                return false;
            }
        }
        return true;
    }

    /// Whether `text` has one meaning only: of these characters, no sign at its beginning that
    /// could be more than a character, no colon that could end a key, no space at its end.
    private static boolean isPlain(String text, String marks) {
        int last = text.length() - 1;
        if (last < 0 || !(isLetter(text.charAt(0)) || "./~".indexOf(text.charAt(0)) >= 0)) {
            return false;
        }
        for (int i = 0; i <= last; i++) {
            char c = text.charAt(i);
            if (!isLetter(c) && marks.indexOf(c) < 0) {
                return false;
            }
            if (c == ':' && (i == last || text.charAt(i + 1) == ' ')) {
                return false;
            }
        }
        return text.charAt(last) != ' ';
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    private static boolean isPrintable(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }
}
