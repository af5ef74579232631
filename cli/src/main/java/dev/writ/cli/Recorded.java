// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.TrustedKeys;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.key.VerifyingKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What the verbs about the record have in common: which session is meant, which keys are believed,
/// and files that the operator names.
final class Recorded {
    static final Option KEY =
            new Option("key", "PUB", "believe this key: a file, or the key itself; repeatable");

    private static final int MOST_KEYS = 100_000;

    private Recorded() {}

    static Installation installation(World world) {
        return new Installation(Path.of(world.config().state().toString()));
    }

    /// The session that `word` names: whole, by its beginning, or as the `last`.
    static SessionId session(String word, Installation installation) {
        var all = installation.sessions();
        if (all.isEmpty()) {
            throw new UsageException(
                    "nothing is recorded in `" + installation.state() + "` yet; see `writ run`");
        }
        if (word.equals("last")) {
            return all.getLast();
        }
        var found = all.stream().filter(s -> s.value().startsWith(word)).toList();
        if (found.size() == 1) {
            return found.getFirst();
        }
        for (var session : found) {
            if (session.value().equals(word)) {
                return session;
            }
        }
        throw new UsageException(
                found.isEmpty()
                        ? "no session begins with `" + Text.shown(word) + "`; `writ log` shows them"
                        : found.size()
                                + " sessions begin with `"
                                + Text.shown(word)
                                + "`, such as `"
                                + found.getFirst()
                                + "` and `"
                                + found.getLast()
                                + "`; say more of it");
    }

    /// The keys of `--key`, else those of this installation.
    ///
    /// @param handovers the folder of keys that hand-overs may lie in
    static TrustedKeys keys(Arguments arguments, Path handovers, World world) {
        var given = arguments.values(KEY);
        if (given.isEmpty()) {
            var own = TrustedKeys.of(installation(world));
            if (own.given().isEmpty()) {
                throw new UsageException(
                        "there is no key here to verify with; give the public one: `--key PUB`"
                                + " (`writ keys export` on the machine that signed)");
            }
            return own;
        }
        var keys = new ArrayList<VerifyingKey>();
        for (var word : given) {
            keys.addAll(keys(word, world));
        }
        return new TrustedKeys(keys, handovers);
    }

    private static List<VerifyingKey> keys(String word, World world) {
        try {
            var file = PolicyOptions.path(word, world);
            return TrustedKeys.parse(
                    Files.exists(file) ? new String(read(word, MOST_KEYS, world), UTF_8) : word);
        } catch (KeyException e) {
            throw new UsageException(
                    "`--key` is neither a file with a public key nor one itself: "
                            + Text.shown(String.valueOf(e.getMessage())));
        }
    }

    /// A file that the operator named.
    static byte[] read(String name, int most, World world) {
        var file = PolicyOptions.path(name, world);
        try (var in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(most);
            if (in.read() >= 0) {
                throw new UsageException(
                        "`" + Text.shown(name) + "` has more than " + most + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            throw new UsageException("`" + Text.shown(name) + "` cannot be read: " + Reason.of(e));
        }
    }
}
