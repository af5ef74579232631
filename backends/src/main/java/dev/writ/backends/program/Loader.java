// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The dynamic loader, started as a program that starts another one: `ld-linux.so.2 FILE ...`.
final class Loader {
    private static final Pattern NAME =
            Pattern.compile("(ld-linux.*|ld-musl.*|ld64\\.so.*|ld\\.so.*|ld-[0-9.]+\\.so.*)");

    /// How the C library calls itself where it is its own loader.
    private static final String MUSL = "libc.musl";

    private static final Set<String> WITH_VALUE =
            Set.of(
                    "--library-path",
                    "--preload",
                    "--argv0",
                    "--inhibit-rpath",
                    "--audit",
                    "--glibc-hwcaps-mask",
                    "--glibc-hwcaps-prepend");

    private static final Set<String> WITHOUT_VALUE =
            Set.of(
                    "--",
                    "--inhibit-cache",
                    "--list",
                    "--verify",
                    "--list-tunables",
                    "--list-diagnostics",
                    "--help",
                    "--version");

    private Loader() {}

    /// What a loader was told to run.
    ///
    /// @param file its name; always with a slash
    /// @param zeroth what it will be told it is called
    record Command(String file, String zeroth, List<String> arguments) {}

    /// Whether `program` is a loader, by its contents, whatever its name, or by its name.
    static boolean is(ProgramFile program) throws IOException {
        if (NAME.matcher(program.name()).matches()) {
            return true;
        }
        var own = Elf.selfContained(program.contents());
        return own.isPresent() && isLoader(own.get());
    }

    /// A self-contained object that offers `dlopen` is a C library that is its own loader.
    private static boolean isLoader(Elf.SelfContained object) {
        return NAME.matcher(object.name()).matches()
                || object.name().startsWith(MUSL)
                || object.strings().contains("\0dlopen\0");
    }

    /// What the loader will run with these arguments; nothing if they name no file. With `--list`
    /// and the like nothing will run, but that is not relied on.
    ///
    /// @throws UnclearException if there is an option that we do not know, or if the file would be
    /// searched for
    static Optional<Command> command(List<String> arguments) throws UnclearException {
        String zeroth = "";
        int i = 0;
        for (; i < arguments.size() && arguments.get(i).startsWith("--"); i++) {
            String option = arguments.get(i);
            int equals = option.indexOf('=');
            String name = equals < 0 ? option : option.substring(0, equals);
            if (WITH_VALUE.contains(name)) {
                String value =
                        equals >= 0
                                ? option.substring(equals + 1)
                                : i + 1 < arguments.size() ? arguments.get(++i) : "";
                zeroth = name.equals("--argv0") ? value : zeroth;
            } else if (!WITHOUT_VALUE.contains(option)) {
                throw new UnclearException("the loader has an unknown option: `" + option + "`");
            } else if (option.equals("--")) {
                i++;
                break;
            }
        }
        if (i >= arguments.size()) {
            return Optional.empty();
        }
        String file = arguments.get(i);
        if (file.indexOf('/') < 0) {
            throw new UnclearException("the loader would search for `" + file + "`");
        }
        return Optional.of(
                new Command(
                        file,
                        zeroth.isEmpty() ? file : zeroth,
                        arguments.subList(i + 1, arguments.size())));
    }
}
