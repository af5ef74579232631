// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.conformance.stage.Account;
import java.io.File;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The one thing that the scripts of the groups M and N cannot do by themselves.
record HostVerbs() implements Verbs.Answers {
    /// Nobody's, and not that of the account `nobody`.
    private static final int STRANGER = 65533;

    /// @return what a program of another user printed; nothing if only root could start it
    @Override
    public @Nullable Object answer(String verb, List<byte[]> words) throws IOException {
        if (!verb.equals("other")) {
            throw new IOException("no such verb: " + verb);
        }
        var self = Account.choose("");
        return self.dropped() ? other(new String(words.getFirst(), UTF_8)) : null;
    }

    private static String other(String program) throws IOException {
        var stranger = new Account("stranger", STRANGER, STRANGER, true);
        var builder =
                new ProcessBuilder(stranger.command(List.of("python3", "-c", program)))
                        .directory(new File("/"))
                        .redirectErrorStream(true);
        builder.environment().clear(); // nothing of the operator's
        builder.environment().put("PATH", "/usr/local/bin:/usr/bin:/bin");
        var process = builder.start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }

    @Override
    public void close() {}
}
