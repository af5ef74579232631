// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import dev.writ.core.sandbox.Proxy;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.SealedFile;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.OptionalInt;

/// Files that a sandbox finds other contents in: each is kept in memory once, however often it is
/// opened, where nobody can change it.
final class Substitutes implements AutoCloseable {
    /// A program can make up as many as it likes.
    private static final int MOST = 16;

    private final Proxy proxy;
    private final LinkedHashMap<FilePath, Integer> made = new LinkedHashMap<>(MOST, 0.75f, true);
    private boolean closed;

    Substitutes(Proxy proxy) {
        this.proxy = proxy;
    }

    /// What is to be handed over instead of `file`, open for reading from its beginning; empty if
    /// that is the file itself.
    ///
    /// @param handle the object that was judged
    /// @throws Failed if there is something, and it cannot be had
    synchronized OptionalInt open(Worker worker, FilePath file, int handle, int flags) {
        if (closed) {
            return OptionalInt.empty();
        }
        var known = made.get(file);
        if (known == null) {
            var contents = proxy.instead(file, Path.of("/proc/self/fd/" + handle));
            if (contents.isEmpty()) {
                return OptionalInt.empty();
            }
            known = SealedFile.make(worker.kernel, contents.get());
            if (known < 0) {
                throw new Failed(-known);
            }
            made.put(file, known);
            if (made.size() > MOST) {
                worker.files.close(made.pollFirstEntry().getValue());
            }
        }
        return OptionalInt.of(worker.keep(worker.files.reopen(known, flags)));
    }

    @Override
    public synchronized void close() {
        closed = true;
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            made.values().forEach(files::close);
            made.clear();
        }
    }
}
