// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.sandbox.SandboxException;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Streams;
import dev.writ.kernel.Terminal;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// The ends of a sandbox's streams: theirs as descriptors, ours as Java's streams.
///
/// @param theirs what becomes 0, 1 and 2
/// @param terminal the path of their terminal; empty if they have none
/// @param master our end of it
record Pipes(
        int[] theirs,
        String terminal,
        int master,
        OutputStream input,
        InputStream output,
        InputStream errors) {
    private static final int NONE = -1;

    static Pipes inherited() {
        return new Pipes(
                new int[] {0, 1, 2},
                "",
                NONE,
                OutputStream.nullOutputStream(),
                InputStream.nullInputStream(),
                InputStream.nullInputStream());
    }

    static Pipes make(Kernel kernel) {
        var files = new FileCalls(kernel);
        long in = pipe(files);
        long out = pipe(files);
        long err = pipe(files);
        try {
            return new Pipes(
                    new int[] {(int) in, (int) (out >>> 32), (int) (err >>> 32)},
                    "",
                    NONE,
                    new FileOutputStream(own((int) (in >>> 32))),
                    new FileInputStream(own((int) out)),
                    new FileInputStream(own((int) err)));
        } catch (IOException e) {
            throw new SandboxException("pipes could not be opened: " + e.getMessage(), e);
        } finally {
            // Ours have been opened again as Java's.
            files.close((int) (in >>> 32));
            files.close((int) out);
            files.close((int) err);
        }
    }

    /// One terminal for all three. They open it by its path, which makes it their own.
    static Pipes terminal(Kernel kernel) {
        var pair = new Terminal(kernel).make();
        return new Pipes(
                new int[0],
                pair.path(),
                pair.master(),
                Streams.output(pair.master()),
                Streams.input(pair.master()),
                InputStream.nullInputStream());
    }

    private static long pipe(FileCalls files) {
        long pipe = files.pipe();
        if (pipe < 0) {
            throw new SandboxException("no pipe could be made (errno " + -pipe + ")");
        }
        return pipe;
    }

    private static String own(int descriptor) {
        return "/proc/self/fd/" + descriptor;
    }

    /// Closes their ends, which the sandbox has now.
    void closeTheirs(Kernel kernel) {
        var files = new FileCalls(kernel);
        for (int descriptor : theirs) {
            if (descriptor > 2) { // else it is inherited
                files.close(descriptor);
            }
        }
    }

    /// Closes our ends.
    void close() throws IOException {
        input.close();
        output.close();
        errors.close();
        try (var kernel = new Kernel()) {
            new FileCalls(kernel).close(master);
        }
    }
}
