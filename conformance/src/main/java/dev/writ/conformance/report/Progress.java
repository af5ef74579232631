// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.report;

import dev.writ.conformance.run.Result;
import dev.writ.conformance.run.Verdict;
import java.io.PrintStream;

/// One line that is written over and over, for a person who waits.
public final class Progress implements AutoCloseable {
    private static final String CLEAR = "\r\u001b[K";

    private final PrintStream err;
    private final boolean terminal;
    private int escapes;

    public Progress(PrintStream err, boolean terminal) {
        this.err = err;
        this.terminal = terminal;
    }

    public synchronized void judged(Result result, int done, int of) {
        if (result.verdict() == Verdict.ESCAPE) {
            escapes++;
        }
        if (terminal) {
            err.print(CLEAR + done + "/" + of + ", " + escapes + " escaped: " + result.test().id());
            err.flush();
        }
    }

    @Override
    public synchronized void close() {
        if (terminal) {
            err.print(CLEAR);
            err.flush();
        }
    }
}
