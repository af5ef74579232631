// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.kernel.Terminal;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import org.jspecify.annotations.Nullable;

/// Gives the terminal back if this process is ended by the signal that nobody can catch: a shell
/// that waits until we are gone. It changes nothing if somebody else has set the terminal
/// meanwhile, as most shells do when they come back.
final class TerminalWatch implements AutoCloseable {
    /// A line says that all is well, the end of input that we are gone.
    private static final String SCRIPT =
            """
            trap '' HUP INT QUIT TERM TSTP TTIN TTOU
            exec 3>&1
            read -r line || [ "$(stty -g <&3)" != "$2" ] || stty "$1" <&3
            """;

    private @Nullable Process process; // guarded by this
    private boolean closed; // guarded by this

    /// @param before how the terminal was
    /// @param raw how we have set it
    synchronized void start(byte[] before, byte[] raw) {
        if (closed) {
            return;
        }
        var builder =
                new ProcessBuilder(
                                "/bin/sh",
                                "-c",
                                SCRIPT,
                                "writ-watch",
                                Terminal.text(before),
                                Terminal.text(raw))
                        .directory(new File("/"))
                        .redirectOutput(Redirect.INHERIT)
                        .redirectError(Redirect.DISCARD);
        // Nothing that the agent may have written is found by its name.
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        try {
            process = builder.start();
        } catch (IOException e) {
            // Then it is not watched; all else works.
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (process != null) {
            try (var input = process.getOutputStream()) {
                input.write('\n');
            } catch (IOException e) {
                // It is gone already.
            }
        }
    }
}
