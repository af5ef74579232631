// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.json.JsonReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Somebody else's JSON file, changed in one place: every other byte stays as it is.
record JsonText(String text) {
    private static final int MOST = 4 << 20;

    /// Where a value stands: from its first character to behind its last.
    record Span(int from, int to) {}

    /// An item of a list, or a member of an object with its name.
    private record Item(Span whole, Span value, Optional<String> name) {}

    /// @throws dev.writ.core.json.JsonException if it is not JSON beyond doubt
    JsonText {
        read(text);
    }

    private static @Nullable Object read(String text) {
        return JsonReader.read(text.getBytes(UTF_8), MOST, JsonReader.Numbers.ANY);
    }

    Span root() {
        int from = skipSpace(0);
        return new Span(from, end(from));
    }

    @Nullable Object value(Span span) {
        return read(text.substring(span.from(), span.to()));
    }

    Optional<Span> member(Span object, String name) {
        return items(object).stream()
                .filter(i -> i.name().filter(name::equals).isPresent())
                .map(Item::value)
                .findFirst();
    }

    List<Span> elements(Span list) {
        return items(list).stream().map(Item::value).toList();
    }

    /// With `item` as the last one in that list or object.
    JsonText with(Span container, String item) {
        var items = items(container);
        if (items.isEmpty()) {
            return new JsonText(
                    text.substring(0, container.from() + 1)
                            + item
                            + text.substring(container.to() - 1));
        }
        String space = text.substring(container.from() + 1, items.getFirst().whole().from());
        int at = items.getLast().whole().to();
        return new JsonText(
                text.substring(0, at)
                        + ","
                        + (space.isEmpty() ? " " : space)
                        + item
                        + text.substring(at));
    }

    /// Without the item whose value stands there, and the comma that goes with it.
    JsonText without(Span container, Span value) {
        var items = items(container);
        for (int i = 0; i < items.size(); i++) {
            if (!items.get(i).value().equals(value)) {
                continue;
            }
            int from = i > 0 ? items.get(i - 1).whole().to() : items.get(i).whole().from();
            int to =
                    i > 0 || items.size() == 1
                            ? items.get(i).whole().to()
                            : items.get(1).whole().from();
            return new JsonText(text.substring(0, from) + text.substring(to));
        }
        return this;
    }

    private List<Item> items(Span container) {
        boolean object = text.charAt(container.from()) == '{';
        if (!object && text.charAt(container.from()) != '[') {
            return List.of();
        }
        var items = new ArrayList<Item>();
        int at = skipSpace(container.from() + 1);
        while (at < container.to() - 1) {
            int from = at;
            Optional<String> name = Optional.empty();
            if (object) {
                int behind = end(at);
                name = Optional.of(String.valueOf(read(text.substring(at, behind))));
                at = skipSpace(skipSpace(behind) + 1);
            }
            int to = end(at);
            items.add(new Item(new Span(from, to), new Span(at, to), name));
            at = skipSpace(to);
            if (text.charAt(at) == ',') {
                at = skipSpace(at + 1);
            }
        }
        return items;
    }

    private int skipSpace(int from) {
        int at = from;
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    /// Where the value that begins at `from` is over. It is known to be right.
    private int end(int from) {
        int depth = 0;
        int at = from;
        do {
            char c = text.charAt(at);
            if (c == '"') {
                at = endOfText(at);
            } else if (c == '{' || c == '[') {
                depth++;
                at++;
            } else if (c == '}' || c == ']') {
                depth--;
                at++;
            } else if (depth > 0) {
                at++;
            } else {
                while (at < text.length() && " \t\r\n,]}".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
            }
        } while (depth > 0);
        return at;
    }

    private int endOfText(int from) {
        int at = from + 1;
        while (text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return at + 1;
    }
}
