// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// Where the program starts.
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        end(run(Path.of("").toAbsolutePath(), List.of(arguments)));
    }

    /// Ends this process as `System.exit` does, which would look through all jars for somebody to
    /// tell first; that takes 20 ms. Whoever has begun to end it already is waited for.
    private static void end(int code) {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread());
        } catch (IllegalStateException e) {
            System.exit(code);
        }
        // Whatever else would be done now is done: every hook is removed when it is not needed.
        Runtime.getRuntime().halt(code);
    }

    /// Runs one command as from `folder`, and gives its exit code.
    static int run(Path folder, List<String> arguments) {
        var world =
                new World(
                        folder,
                        System.getenv(),
                        System.in,
                        stream(FileDescriptor.out),
                        stream(FileDescriptor.err),
                        isColourful(),
                        List.of(System.getProperty("writ.launcher", "writ")));
        int code = new Cli(world).run(arguments);
        world.out().flush();
        world.err().flush();
        return code;
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
    }

    /// The launcher asks whether standard output is a terminal: a shell can, without loading
    /// anything.
    private static boolean isColourful() {
        return Boolean.getBoolean("writ.terminal") && System.getenv("NO_COLOR") == null;
    }
}
