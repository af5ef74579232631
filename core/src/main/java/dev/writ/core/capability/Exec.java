// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Glob;
import dev.writ.core.pattern.Pattern;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;

/// To start a program, with any arguments or with some that come first.
public record Exec(Program program, List<Glob> arguments) implements Capability {
    /// Which program files.
    public sealed interface Program {
        /// The file of this name in one of the folders.
        record Named(String name, List<FilePath> folders) implements Program {
            public Named {
                folders = List.copyOf(folders);
            }
        }

        /// These files.
        record At(PathPattern path) implements Program {}
    }

    public Exec {
        arguments = List.copyOf(arguments);
    }

    static Exec parse(String text, int offset, Scope scope) {
        var words = Words.split(text, offset);
        if (words.isEmpty()) {
            throw SyntaxException.at(offset, "a program is missing", "write it like `exec:git`");
        }
        var program = parseProgram(words.getFirst(), scope);
        var arguments = new ArrayList<Glob>();
        for (var word : words.subList(1, words.size())) {
            if (word.text().equals("**")) {
                throw SyntaxException.at(
                        word.offset(),
                        "`**` is not needed: more arguments may always follow",
                        "leave it out");
            }
            arguments.add(Segments.glob(word.text(), word.offset(), Segments.Reading.WORD));
        }
        return new Exec(program, arguments);
    }

    private static Program parseProgram(Words.Word word, Scope scope) {
        String text = word.text();
        if (text.equals("*") || text.equals("**")) {
            throw SyntaxException.at(
                    word.offset(), "every program is `shell:*`", "write `shell:*`");
        }
        if (isPath(text)) {
            return new Program.At(PathPattern.parseFiles(text, word.offset(), scope));
        }
        return new Program.Named(parseName(text, word.offset()), scope.programs());
    }

    static boolean isPath(String word) {
        return word.indexOf('/') >= 0
                || word.startsWith("~")
                || word.equals(".")
                || word.equals("..");
    }

    static String parseName(String text, int offset) {
        var glob = Segments.glob(text, offset, Segments.Reading.PATTERN);
        String name = glob.parts().getFirst();
        if (glob.hasStar()) {
            throw SyntaxException.at(
                    offset,
                    "a program name cannot have a wildcard: `" + Text.shown(text) + "`",
                    "name each program, or a path: `exec:./scripts/*`");
        }
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
            throw SyntaxException.at(offset, "not a program name: `" + Text.shown(text) + "`", "");
        }
        return name;
    }

    @Override
    public List<Capability> throughLinks(UnaryOperator<FilePath> resolve) {
        return files().stream()
                .flatMap(path -> path.throughLinks(resolve))
                .<Capability>map(path -> new Exec(new Program.At(path), arguments))
                .toList();
    }

    @Override
    public Capability withoutProgramsIn(Collection<FilePath> unwanted) {
        return program instanceof Program.Named(var name, var folders)
                ? new Exec(
                        new Program.Named(
                                name, folders.stream().filter(f -> !unwanted.contains(f)).toList()),
                        arguments)
                : this;
    }

    @Override
    public Kind kind() {
        return Kind.EXEC;
    }

    @Override
    public List<Pattern> grants() {
        return files().stream()
                .map(path -> command(Pattern.of("exec").items(path.items())))
                .toList();
    }

    /// The files that may be started.
    private List<PathPattern> files() {
        return program instanceof Program.Named(var name, var folders)
                ? folders.stream().map(f -> PathPattern.file(f.resolve(name))).toList()
                : List.of(((Program.At) program).path());
    }

    private Pattern command(Pattern.Builder builder) {
        builder.end();
        arguments.forEach(a -> builder.one(a, Domain.ARGUMENT));
        return builder.many(Domain.ARGUMENT).build();
    }

    /// A name is denied wherever such a file lies, and arguments wherever they stand.
    @Override
    public List<Pattern> forbids() {
        var builder = Pattern.of("exec");
        // A switch over types would have to be linked at each start.
        if (program instanceof Program.At(var path)) {
            builder.items(path.items());
        } else {
            builder.many(Domain.PATH).literal(((Program.Named) program).name());
        }
        builder.end();
        for (var argument : arguments) {
            builder.many(Domain.ARGUMENT).one(argument, Domain.ARGUMENT);
        }
        return List.of(builder.many(Domain.ARGUMENT).build());
    }

    @Override
    public String text(Scope scope) {
        var out = new StringBuilder("exec:");
        out.append(
                program instanceof Program.At(var path)
                        ? printPattern(path.printFiles(scope))
                        : printWord(new Glob(List.of(((Program.Named) program).name()))));
        arguments.forEach(a -> out.append(' ').append(printWord(a)));
        return out.toString();
    }

    /// A word with wildcards, its spaces and quotes escaped.
    private static String printPattern(String escaped) {
        return escaped.replaceAll("(?<!\\\\)([ \"])", "\\\\$1");
    }

    /// A literal word is quoted where needed.
    private static String printWord(Glob word) {
        return word.hasStar()
                ? printPattern(Segments.print(word))
                : Words.quote(word.parts().getFirst());
    }
}
