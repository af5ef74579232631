// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.sandbox.SandboxException;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Streams;
import dev.writ.kernel.Terminal;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

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

    /// None of ours.
    static Pipes none(int[] theirs) {
        return new Pipes(
                theirs,
                "",
                NONE,
                OutputStream.nullOutputStream(),
                InputStream.nullInputStream(),
                InputStream.nullInputStream());
    }

    /// @param input whether what they read comes from us, too
    static Pipes make(Kernel kernel, boolean input) {
        var files = new FileCalls(kernel);
        var theirs = new int[] {input ? NONE : new Inherited(kernel).input(), NONE, NONE};
        var ours = new int[] {-1, -1, -1};
        var streams = new ArrayList<Closeable>();
        try {
            for (int i = input ? 0 : 1; i < 3; i++) {
                long pipe = files.pipe();
                if (pipe < 0) {
                    throw new IOException("errno " + -pipe);
                }
                ours[i] = (int) (i == 0 ? pipe >>> 32 : pipe);
                theirs[i] = above(files, (int) (i == 0 ? pipe : pipe >>> 32));
            }
            // Ours are opened again as Java's.
            OutputStream toThem =
                    input
                            ? kept(streams, new FileOutputStream(own(ours[0])))
                            : OutputStream.nullOutputStream();
            var output = kept(streams, new FileInputStream(own(ours[1])));
            var errors = kept(streams, new FileInputStream(own(ours[2])));
            streams.clear();
            return new Pipes(theirs, "", NONE, toThem, output, errors);
        } catch (IOException e) {
            closeTheirs(files, theirs);
            throw new SandboxException("no pipes could be made: " + e.getMessage(), e);
        } finally {
            close(files, ours);
            closeAll(streams);
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

    /// `descriptor` under a number that is none of 0, 1 and 2: a host that has closed its own
    /// standard streams gets pipes there, and one end would overwrite another in the sandbox.
    private static int above(FileCalls files, int descriptor) throws IOException {
        if (descriptor > 2) {
            return descriptor;
        }
        int copy = files.copy(descriptor);
        files.close(descriptor);
        if (copy < 0) {
            throw new IOException("errno " + -copy);
        }
        return copy;
    }

    private static <T extends Closeable> T kept(List<Closeable> streams, T stream) {
        streams.add(stream);
        return stream;
    }

    /// The same, but of what they write no more comes out than `pass` lets through.
    Pipes countedBy(IntUnaryOperator pass) {
        return new Pipes(
                theirs,
                terminal,
                master,
                input,
                new CountedInput(output, pass),
                new CountedInput(errors, pass));
    }

    /// Closes those that do not belong to this process.
    private static void close(FileCalls files, int[] descriptors) {
        for (int descriptor : descriptors) {
            if (descriptor > 2) {
                files.close(descriptor);
            }
        }
    }

    private static void closeAll(List<? extends Closeable> streams) {
        for (var stream : streams) {
            try {
                stream.close();
            } catch (IOException e) {
                throw new SandboxException("streams could not be closed: " + e.getMessage(), e);
            }
        }
    }

    private static String own(int descriptor) {
        return "/proc/self/fd/" + descriptor;
    }

    /// Closes their ends, which the sandbox has now.
    void closeTheirs(Kernel kernel) {
        closeTheirs(new FileCalls(kernel), theirs);
    }

    static void closeTheirs(FileCalls files, int[] theirs) {
        for (int descriptor : theirs) {
            // Those below belong to this process, and are shared.
            if (descriptor > 2) {
                files.close(descriptor);
            }
        }
    }

    /// Closes our ends.
    void close() {
        closeAll(List.of(input, output, errors));
        try (var kernel = new Kernel()) {
            new FileCalls(kernel).close(master);
        }
    }
}
