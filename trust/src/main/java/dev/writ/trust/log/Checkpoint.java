// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.trust.key.KeyException;
import dev.writ.trust.key.Note;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.key.VerifyingKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;

/// The signed size and root of a log at a moment.
///
/// @param origin which log
/// @param size how many entries it has
/// @param root the root of their tree, in base64
/// @param note the whole signed note that says so
public record Checkpoint(String origin, long size, String root, String note) {
    static Checkpoint sign(long size, byte[] root, SigningKey key) {
        String text = key.name() + "\n" + size + "\n" + encode(root) + "\n";
        byte[] note = Note.sign(text, key);
        return new Checkpoint(key.name(), size, encode(root), new String(note, UTF_8));
    }

    /// Checks a note and reads it as a checkpoint.
    ///
    /// @throws LogException if it is none, or is not signed by a trusted key of that log
    public static Checkpoint open(byte[] note, Collection<VerifyingKey> trusted) {
        var checkpoint = unverified(note);
        try {
            var signer = Note.open(note, trusted).signer();
            if (!signer.name().equals(checkpoint.origin)) {
                throw new LogException(
                        "a checkpoint of `"
                                + checkpoint.origin
                                + "` is signed by a key of `"
                                + signer.name()
                                + "`");
            }
            return checkpoint;
        } catch (KeyException e) {
            throw new LogException("not a checkpoint that can be believed", e);
        }
    }

    /// Reads a checkpoint whose signature nobody has looked at.
    static Checkpoint unverified(byte[] note) {
        String[] lines;
        try {
            lines = Note.unverifiedText(note).split("\n", -1);
        } catch (KeyException e) {
            throw new LogException("not a checkpoint", e);
        }
        if (lines.length != 4
                || lines[0].isEmpty()
                || !lines[1].matches("0|[1-9][0-9]{0,17}")
                || !lines[2].matches("[A-Za-z0-9+/]{43}=")) {
            throw new LogException("not a checkpoint: origin, size and root, a line each");
        }
        byte[] root = Base64.getDecoder().decode(lines[2]);
        if (!encode(root).equals(lines[2])) {
            throw new LogException("not a checkpoint: its root is not in canonical base64");
        }
        return new Checkpoint(
                lines[0], Long.parseLong(lines[1]), lines[2], new String(note, UTF_8));
    }

    boolean hasRoot(byte[] other) {
        return Arrays.equals(Base64.getDecoder().decode(root), other);
    }

    static String encode(byte[] hash) {
        return Base64.getEncoder().encodeToString(hash);
    }
}
