// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/// What the host has seen of a run.
public interface Evidence {
    /// What the probe printed, as far as it was kept.
    String output();

    /// How much it printed in all.
    long outputBytes();

    /// How long it took until the launcher was gone and its output closed.
    Duration elapsed();

    /// `text` with `{ws}`, `{ro}`, `{out}`, `{home}` and `{nonce}` filled in.
    String fill(String text);

    String secret(CanarySecret secret);

    /// The state of a file before the run.
    FileState before(Path path);

    /// Whether the nonce arrived; waits a moment for it.
    boolean heard(Ear ear);

    /// Whether the canary process has ended; waits a moment for it.
    boolean isCanaryGone();

    /// A number out of `/proc` about the canary process.
    int canaryNiceness() throws IOException;

    int canaryOomAdjustment() throws IOException;

    /// What waits in the input of the terminal after the run.
    String terminalInput() throws IOException;

    /// What was written to the terminal past the standard streams.
    String terminalOutput() throws IOException;

    /// Takes over an archive as a careless host would; false if there is none.
    boolean unpack(Path archive) throws IOException, InterruptedException;
}
