// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import java.io.IOException;
import java.util.Optional;

/// Tells what an exec really starts: the program, a script, what a loader loads, what an
/// interpreter interprets, and what any of these is a copy of. May be used from any thread.
///
/// A program that starts others by exec (`env`, `timeout`, `xargs`) needs nothing here: they come
/// by themselves. A program that loads another one without exec is not seen; only what it may read
/// binds it.
public final class Programs {
    private final Copies copies;

    private Programs(Copies copies) {
        this.copies = copies;
    }

    /// For processes under `policy`.
    public static Programs of(Policy policy) {
        return new Programs(Copies.of(policy));
    }

    /// Takes notice that the file at `path` has been opened to be read.
    public void opened(FilePath path) {
        copies.opened(path);
    }

    /// The program that is to read a script which begins with these bytes.
    public static Optional<String> interpreter(byte[] start) {
        return Shebang.of(start).map(Shebang::interpreter);
    }

    /// What the process that has stopped after its exec starts.
    public Starts starts(long pid) {
        try {
            return starts(Image.of(pid));
        } catch (IOException e) {
            return unclear(e);
        }
    }

    Starts starts(Image image) {
        try {
            return new Starts.Known(new Expansion(image, copies).starts());
        } catch (IOException e) {
            return unclear(e);
        }
    }

    private static Starts unclear(IOException e) {
        return new Starts.Unclear("what it starts cannot be told: " + e.getMessage());
    }
}
