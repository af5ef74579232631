// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// What an exec has put into a process: read while the process is stopped, so that nobody can
/// change it.
///
/// @param program the file that runs
/// @param zeroth what the program is told it is called; whoever started it chose that freely
/// @param arguments all further arguments
/// @param name the name that the exec was asked for; for a `#!` script that is the script
/// @param process its folder in `/proc`
record Image(
        ProgramFile program, String zeroth, List<String> arguments, String name, Path process) {
    Image {
        arguments = List.copyOf(arguments);
    }

    /// The image of a stopped process.
    ///
    /// @throws IOException if it has ended, or is none whose file and name can be told
    static Image of(long pid) throws IOException {
        var process = Path.of("/proc", Long.toString(pid));
        return of(process, Memory.of(process));
    }

    static Image of(Path process, Memory memory) throws IOException {
        var words = strings(Files.readAllBytes(process.resolve("cmdline")));
        if (words.isEmpty()) {
            throw new UnclearException("the process has ended");
        }
        return new Image(
                ProgramFile.behind(process.resolve("exe")),
                words.getFirst(),
                words.subList(1, words.size()),
                Auxiliary.name(Files.readAllBytes(process.resolve("auxv")), memory),
                process);
    }

    /// All arguments, [#zeroth] first.
    List<String> words() {
        var words = new ArrayList<String>(arguments.size() + 1);
        words.add(zeroth);
        words.addAll(arguments);
        return words;
    }

    /// A variable of its environment.
    Optional<String> variable(String variable) throws IOException {
        String start = variable + "=";
        return strings(Files.readAllBytes(process.resolve("environ"))).stream()
                .filter(entry -> entry.startsWith(start))
                .map(entry -> entry.substring(start.length()))
                .findFirst();
    }

    /// Strings that each end with a zero; an empty string is one, too.
    static List<String> strings(byte[] bytes) {
        var strings = new ArrayList<String>();
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                strings.add(Text.of(Arrays.copyOfRange(bytes, start, i)));
                start = i + 1;
            }
        }
        if (start < bytes.length) {
            strings.add(Text.of(Arrays.copyOfRange(bytes, start, bytes.length)));
        }
        return strings;
    }
}
