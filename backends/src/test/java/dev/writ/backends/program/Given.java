// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.backends.program.Start.Need;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// A folder to work in, and what a process in it would look like, without one.
final class Given {
    static final Path LOADER = loader();

    final Path folder;
    private final Path process;

    /// @param temporary an empty folder
    Given(Path temporary) throws IOException {
        var real = temporary.toRealPath();
        folder = Files.createDirectory(real.resolve("work"));
        process = Files.createDirectory(real.resolve("process"));
        Files.createSymbolicLink(process.resolve("cwd"), folder);
        Files.writeString(process.resolve("environ"), "");
    }

    private static Path loader() {
        try {
            return Stream.of("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
                    .map(Path::of)
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow()
                    .toRealPath();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    Given withPath(String path) throws IOException {
        Files.writeString(process.resolve("environ"), "A=1\0PATH=" + path + "\0");
        return this;
    }

    Path file(String name, String text) throws IOException {
        var file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /// An ordinary program under that name: a copy of a real one.
    Path program(String name) throws IOException {
        return copy("/usr/bin/env", name);
    }

    Path copy(String from, String name) throws IOException {
        var file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        return Files.copy(Path.of(from).toRealPath(), file);
    }

    ProgramFile at(Path file) {
        return new ProgramFile(FilePath.of(file.toString()), file);
    }

    /// The image of a program that was started by its path.
    Image image(Path program, String... words) {
        return named(program, program.toString(), words);
    }

    /// The image of what was started as `name`.
    Image named(Path program, String name, String... words) {
        var all = List.of(words);
        return new Image(at(program), all.getFirst(), all.subList(1, all.size()), name, process);
    }

    Names names() {
        return new Names(process);
    }

    Start allowed(Path program, String... arguments) {
        return new Start(start(program, arguments), Need.ALLOWED);
    }

    Start notDenied(Path program, String... arguments) {
        return new Start(start(program, arguments), Need.NOT_DENIED);
    }

    static Action.StartProgram start(Path program, String... arguments) {
        return new Action.StartProgram(FilePath.of(program.toString()), List.of(arguments));
    }

    /// A policy; each rule is an effect and a capability.
    Policy policy(String... rules) {
        return policy(List.of("/usr/bin"), rules);
    }

    Policy policy(List<String> programs, String... rules) {
        var scope =
                new Scope(
                        FilePath.of(folder.toString()),
                        FilePath.of("/home/somebody"),
                        programs.stream().map(FilePath::of).toList());
        var parsed =
                Stream.of(rules)
                        .map(
                                r ->
                                        Rule.parse(
                                                Effect.valueOf(
                                                        r.substring(0, r.indexOf(' '))
                                                                .toUpperCase(Locale.ROOT)),
                                                r.substring(r.indexOf(' ') + 1),
                                                scope,
                                                Source.of("test")))
                        .toList();
        return Policy.of(scope, parsed, List.of());
    }
}
