// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Text;
import dev.writ.core.digest.Sha256;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.List;

/// A question that waits in an [Inbox].
///
/// @param id names it, and is not used again
/// @param times how many in the session wait for the same
/// @param until after which it is refused
/// @param digest of exactly what is asked: an answer is for this, or for nothing
public record Waiting(
        String id,
        Subject subject,
        Question question,
        List<Asker.Task> lineage,
        int times,
        Instant asked,
        Instant until,
        String digest) {
    public Waiting {
        lineage = List.copyOf(lineage);
    }

    /// The same, which one more waits for.
    Waiting again() {
        return new Waiting(id, subject, question, lineage, times + 1, asked, until, digest);
    }

    /// Each part with its length before it, so that no two questions look the same.
    static String digest(String id, Subject subject, Question question, List<Asker.Task> lineage) {
        var digest = Sha256.begin();
        put(digest, "writ-approval-v2");
        put(digest, id);
        put(digest, subject.session().value());
        put(digest, subject.principal());
        put(digest, subject.policy());
        put(digest, subject.folder().toString());
        put(digest, subject.environment());
        put(digest, question.rule().toString());
        put(digest, question.action().text(Scope.SPELLED_OUT));
        put(digest, question.circumstances().folder());
        put(digest, question.circumstances().input());
        put(digest, question.circumstances().variables());
        put(digest, question.circumstances().identity());
        for (var task : lineage) {
            put(digest, task.program());
            put(digest, task.command());
        }
        return Sha256.hex(digest);
    }

    private static void put(MessageDigest digest, List<String> parts) {
        put(digest, "" + parts.size());
        parts.forEach(part -> put(digest, part));
    }

    private static void put(MessageDigest digest, String part) {
        byte[] bytes = Text.bytes(part); // no two names become one
        digest.update((bytes.length + ":").getBytes(UTF_8));
        digest.update(bytes);
    }
}
