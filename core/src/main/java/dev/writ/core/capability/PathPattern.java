// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Pattern;
import dev.writ.core.pattern.Pattern.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// A set of absolute paths.
///
/// @param items the segments from the root; a last [Item.Many] means that everything below is
/// included
public record PathPattern(List<Item> items) {
    public PathPattern {
        items = List.copyOf(items);
    }

    /// Just this path and what lies below it.
    static PathPattern tree(FilePath path) {
        return new PathPattern(
                new Pattern.Builder().literals(path.segments()).many(Domain.PATH).build().items());
    }

    /// Just this file.
    static PathPattern file(FilePath path) {
        return new PathPattern(literals(path));
    }

    /// Reads a selector; a literal last segment means everything below as well.
    static PathPattern parseTree(String text, int offset, Scope scope) {
        var items = parse(text, offset, scope, Segments.Reading.PATTERN);
        if (items.isEmpty() || items.getLast() instanceof Item.Literal) {
            items.add(new Item.Many(Domain.PATH));
        }
        return new PathPattern(items);
    }

    /// Reads a selector of files: no more than what it matches.
    static PathPattern parseFiles(String text, int offset, Scope scope) {
        return new PathPattern(parse(text, offset, scope, Segments.Reading.PATTERN));
    }

    /// Reads one exact path.
    static FilePath parseExact(String text, int offset, Scope scope) {
        var segments = new ArrayList<String>();
        for (var item : parse(text, offset, scope, Segments.Reading.EXACT)) {
            if (item instanceof Item.Literal(var segment)) {
                segments.add(segment);
            }
        }
        return new FilePath(segments);
    }

    private static List<Item> parse(
            String text, int offset, Scope scope, Segments.Reading reading) {
        if (text.isEmpty()) {
            throw SyntaxException.at(
                    offset, "a path is missing", "write `.` for this folder, `/` for everything");
        }
        boolean home = text.equals("~") || text.startsWith("~/");
        if (text.startsWith("~") && !home) {
            throw SyntaxException.at(
                    offset,
                    "`~` is followed by a name",
                    "only the operator's own home can be named: `~/...`");
        }
        int skipped = home ? 1 : 0;
        var parsed =
                Segments.split(text.substring(skipped), offset + skipped, Domain.PATH, reading);
        boolean absolute = text.startsWith("/") || parsed.getFirst() instanceof Item.Many;
        var items = new ArrayList<Item>();
        if (!absolute) {
            (home ? scope.home() : scope.base())
                    .segments()
                    .forEach(s -> items.add(new Item.Literal(s)));
        }
        parsed.forEach(item -> append(items, item, offset));
        return items;
    }

    private static void append(List<Item> items, Item item, int offset) {
        if (item instanceof Item.Literal(var segment)) {
            if (segment.isEmpty() || segment.equals(".")) {
                return;
            }
            if (segment.equals("..")) {
                if (!items.isEmpty() && !(items.getLast() instanceof Item.Literal)) {
                    throw SyntaxException.at(
                            offset,
                            "`..` after a wildcard has no one meaning",
                            "write the path without `..`");
                }
                if (!items.isEmpty()) {
                    items.removeLast();
                }
                return;
            }
        }
        if (!(item instanceof Item.Many)
                || items.isEmpty()
                || !(items.getLast() instanceof Item.Many)) {
            items.add(item);
        }
    }

    /// The folders that every path of this set is in, as far as they have no wildcard.
    public FilePath prefix() {
        return new FilePath(literals(new Pattern(items).literalLength()));
    }

    /// The same set under the prefix that `resolve` leads to, if that is another one.
    Stream<PathPattern> throughLinks(UnaryOperator<FilePath> resolve) {
        var prefix = prefix();
        var real = resolve.apply(prefix);
        if (real.equals(prefix)) {
            return Stream.empty();
        }
        var rest = items.subList(prefix.segments().size(), items.size());
        return Stream.of(
                new PathPattern(
                        new Pattern.Builder()
                                .literals(real.segments())
                                .items(rest)
                                .build()
                                .items()));
    }

    private List<String> literals(int n) {
        var segments = new ArrayList<String>(n);
        for (int i = 0; i < n; i++) {
            segments.add(((Item.Literal) items.get(i)).segment());
        }
        return segments;
    }

    /// As a selector whose literal end means everything below.
    String printTree(Scope scope) {
        int n = items.size();
        boolean below = n > 0 && items.get(n - 1) instanceof Item.Many;
        boolean implied = below && (n == 1 || items.get(n - 2) instanceof Item.Literal);
        return print(implied ? items.subList(0, n - 1) : items, scope);
    }

    String printFiles(Scope scope) {
        return print(items, scope);
    }

    static String print(FilePath path, Scope scope) {
        return print(literals(path), scope);
    }

    /// Without escapes: for a place that quotes in its own way.
    static String printPlain(FilePath path, Scope scope) {
        return prefix(literals(path), scope, i -> ((Item.Literal) i).segment());
    }

    private static List<Item> literals(FilePath path) {
        return path.segments().stream().<Item>map(Item.Literal::new).toList();
    }

    private static String print(List<Item> items, Scope scope) {
        String text = prefix(items, scope, Segments::print);
        return text.endsWith(" ") ? text.substring(0, text.length() - 1) + "\\ " : text;
    }

    /// The segments after `.`, `~` or the root, whichever is nearest.
    private static String prefix(List<Item> items, Scope scope, Function<Item, String> segment) {
        int base = common(items, scope.base());
        int home = base > 0 ? 0 : common(items, scope.home());
        var out = new StringBuilder(base > 0 ? "." : home > 0 ? "~" : "");
        items.subList(base + home, items.size())
                .forEach(i -> out.append('/').append(segment.apply(i)));
        if (!items.isEmpty() && items.getFirst() instanceof Item.Many && items.size() > 1) {
            return out.substring(1); // `**/.env`: it says by itself that it begins at the root
        }
        return out.isEmpty() ? "/" : out.toString();
    }

    private static int common(List<Item> items, FilePath folder) {
        int n = folder.segments().size();
        if (n > items.size()) {
            return 0;
        }
        for (int i = 0; i < n; i++) {
            if (!(items.get(i) instanceof Item.Literal(var segment)
                    && segment.equals(folder.segments().get(i)))) {
                return 0;
            }
        }
        return n;
    }
}
