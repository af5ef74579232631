// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Text;
import dev.writ.core.file.FileException;
import dev.writ.daemon.http.Response;
import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.runtime.files.SessionFiles;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/// One request for the files of a sandbox. While it waits for the operator it looks whether
/// somebody still waits for it.
final class FileWork {
    private final KeptSandbox sandbox;
    private final Response response;

    FileWork(KeptSandbox sandbox, Response response) {
        this.sandbox = sandbox;
        this.response = response;
    }

    /// Something that is done with files, and may read and write the connection.
    interface Work {
        void run(SessionFiles files) throws IOException;
    }

    /// What `work` gives, which leaves the connection alone.
    <T> T ask(Function<SessionFiles, T> work) {
        var asker = new Listening(response);
        try {
            return work.apply(sandbox.files().waitedForBy(asker));
        } catch (FileException e) {
            throw FileProblem.of(e, sandbox.session());
        } finally {
            asker.end();
        }
    }

    void run(Work work) throws IOException {
        try {
            work.run(sandbox.files());
        } catch (FileException e) {
            throw FileProblem.of(e, sandbox.session());
        }
    }

    /// Takes note that it goes on, if it may: what was permitted when it began may not be now.
    ///
    /// @throws java.util.concurrent.RejectedExecutionException if the sandbox is being ended
    void goOn() {
        sandbox.files();
        var ended = sandbox.session().ended();
        if (ended.isPresent()) {
            throw new ApiException(403, Reason.ENDED, Text.shown(ended.get()));
        }
    }

    /// Whoever waits at the other end. The connection is lent to those who look after the question
    /// as long as the thread that it belongs to does nothing but wait.
    private static final class Listening implements Asker {
        private final Response response;
        private boolean over; // guarded by this

        Listening(Response response) {
            this.response = response;
        }

        @Override
        public List<Task> lineage() {
            return List.of();
        }

        @Override
        public synchronized boolean isWaiting() {
            return !over && !response.isGone();
        }

        synchronized void end() {
            over = true;
        }
    }
}
