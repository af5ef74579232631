// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.runtime.Config;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Everything outside that a verb may touch.
///
/// @param colourful whether a person watches standard output and wants colours
/// @param launcher the words that start Writ itself
record World(
        Path folder,
        Map<String, String> variables,
        InputStream in,
        PrintStream out,
        PrintStream err,
        boolean colourful,
        List<String> launcher) {
    Config config() {
        return Config.of(folder, variables);
    }

    /// `file` as a person would name it from here.
    String place(Path file) {
        var absolute = file.toAbsolutePath().normalize();
        return absolute.startsWith(folder)
                ? folder.relativize(absolute).toString()
                : absolute.toString();
    }

    /// The same with another standard error.
    World withErrors(PrintStream errors) {
        return new World(folder, variables, in, out, errors, colourful, launcher);
    }

    /// The same in another folder.
    World at(Path other) {
        return new World(other, variables, in, out, err, colourful, launcher);
    }

    Paint paint() {
        return new Paint(colourful);
    }
}
