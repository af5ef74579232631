// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Pattern;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// A shell, and which commands it may start.
public sealed interface Shell extends Capability {
    /// The shells that come with a list of commands.
    List<String> SHELLS = List.of("sh", "bash", "dash", "zsh", "ksh", "fish");

    /// Where installed programs lie, besides the operator's `PATH`.
    List<FilePath> INSTALLED =
            Stream.of(
                            "/usr",
                            "/bin",
                            "/sbin",
                            "/lib",
                            "/lib32",
                            "/lib64",
                            "/libx32",
                            "/opt",
                            "/nix/store",
                            "/snap")
                    .map(FilePath::of)
                    .toList();

    /// Every program file anywhere.
    record Any() implements Shell {
        @Override
        public List<Pattern> grants() {
            return List.of(commands(FilePath.ROOT));
        }

        @Override
        public String text(Scope scope) {
            return "shell:*";
        }
    }

    /// Every installed program; no right to write comes with it.
    record ReadOnly(List<FilePath> folders) implements Shell {
        public ReadOnly {
            folders = List.copyOf(folders);
        }

        @Override
        public List<Pattern> grants() {
            var patterns = new ArrayList<>(INSTALLED.stream().map(Shell::commands).toList());
            folders.forEach(
                    f ->
                            patterns.add(
                                    Pattern.of("exec")
                                            .literals(f.segments())
                                            .any(Domain.PATH)
                                            .end()
                                            .many(Domain.ARGUMENT)
                                            .build()));
            return patterns;
        }

        @Override
        public List<Pattern> forbids() {
            return new Any().forbids();
        }

        @Override
        public Capability withoutProgramsIn(Collection<FilePath> unwanted) {
            return new ReadOnly(folders.stream().filter(f -> !unwanted.contains(f)).toList());
        }

        @Override
        public String text(Scope scope) {
            return "shell:read-only";
        }
    }

    /// The shells and these commands.
    record Commands(List<String> names, List<FilePath> folders) implements Shell {
        public Commands {
            names = List.copyOf(new TreeSet<>(names));
            folders = List.copyOf(folders);
        }

        @Override
        public List<Pattern> grants() {
            return Stream.concat(SHELLS.stream(), names.stream())
                    .distinct()
                    .flatMap(n -> exec(n).grants().stream())
                    .toList();
        }

        @Override
        public List<Pattern> forbids() {
            return names.stream().flatMap(n -> exec(n).forbids().stream()).toList();
        }

        @Override
        public List<Capability> throughLinks(UnaryOperator<FilePath> resolve) {
            return Stream.concat(SHELLS.stream(), names.stream())
                    .flatMap(n -> exec(n).throughLinks(resolve).stream())
                    .toList();
        }

        @Override
        public Capability withoutProgramsIn(Collection<FilePath> unwanted) {
            return new Commands(
                    names, folders.stream().filter(f -> !unwanted.contains(f)).toList());
        }

        private Exec exec(String name) {
            return new Exec(new Exec.Program.Named(name, folders), List.of());
        }

        @Override
        public String text(Scope scope) {
            return "shell:" + String.join(",", names.stream().map(Segments::escape).toList());
        }
    }

    static Shell parse(String text, int offset, Scope scope) {
        if (text.isEmpty()) {
            throw SyntaxException.at(
                    offset,
                    "the commands are missing",
                    "write `shell:git,python3`, `shell:read-only` or `shell:*`");
        }
        if (text.equals("*")) {
            return new Any();
        }
        if (text.equals("read-only")) {
            return new ReadOnly(scope.programs());
        }
        var names = new ArrayList<String>();
        int at = offset;
        for (var name : text.split(",", -1)) {
            if (name.chars().anyMatch(Character::isWhitespace)) {
                throw SyntaxException.at(
                        at,
                        "commands are separated by commas without spaces",
                        "to name arguments write `exec:git push`");
            }
            names.add(Exec.parseName(name, at));
            at += name.length() + 1;
        }
        return new Commands(names, scope.programs());
    }

    private static Pattern commands(FilePath folder) {
        return Pattern.of("exec")
                .literals(folder.segments())
                .many(Domain.PATH)
                .end()
                .many(Domain.ARGUMENT)
                .build();
    }

    @Override
    default Kind kind() {
        return Kind.SHELL;
    }
}
