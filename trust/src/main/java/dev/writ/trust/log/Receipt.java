// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.trust.key.VerifyingKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

/// Proof that one entry is in a log, as a C2SP tlog-proof file. To check it takes the entry and the
/// public key, and nothing of the log.
///
/// @param index which entry
/// @param hashes what leads from it to the root, in base64
/// @param checkpoint the signed note with the root
public record Receipt(long index, List<String> hashes, String checkpoint) {
    private static final String TITLE = "c2sp.org/tlog-proof@v1";
    private static final int LONGEST = 100_000;

    public Receipt {
        hashes = List.copyOf(hashes);
    }

    /// Makes the receipt of an entry under the log's present checkpoint.
    ///
    /// @throws LogException if that does not cover it
    public static Receipt of(Path log, long index, Collection<VerifyingKey> trusted) {
        var checkpoint = LogVerifier.checkpoint(log, trusted);
        if (index < 0 || index >= checkpoint.size()) {
            throw new LogException(
                    "there is no signed entry "
                            + index
                            + ": the checkpoint covers "
                            + checkpoint.size());
        }
        try {
            var path = new Subtrees(log).inclusion(index, checkpoint.size());
            var receipt =
                    new Receipt(
                            index,
                            path.stream().map(Checkpoint::encode).toList(),
                            checkpoint.note());
            byte[] entry = new LogReader(log, index).next();
            if (entry == null) {
                throw new LogException("entry " + index + " is missing", index);
            }
            receipt.check(entry, trusted);
            return receipt;
        } catch (IOException e) {
            throw new LogException("entry " + index + " of `" + log + "` cannot be proved", e);
        }
    }

    /// Reads a file.
    ///
    /// @throws LogException if it is not of that form
    public static Receipt parse(byte[] bytes) {
        String text;
        try {
            text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new LogException("not a receipt: not UTF-8");
        }
        int gap = text.indexOf("\n\n");
        if (bytes.length > LONGEST || gap < 0 || !text.startsWith(TITLE + "\n")) {
            throw new LogException("not a receipt: it begins with `" + TITLE + "`");
        }
        var lines = new ArrayList<>(List.of(text.substring(0, gap).split("\n", -1)));
        lines.removeFirst();
        if (!lines.isEmpty() && lines.getFirst().startsWith("extra ")) {
            lines.removeFirst(); // for others; it proves nothing
        }
        if (lines.isEmpty() || !lines.getFirst().matches("index (0|[1-9][0-9]{0,17})")) {
            throw new LogException("not a receipt: it does not say which entry");
        }
        long index = Long.parseLong(lines.removeFirst().substring("index ".length()));
        for (var hash : lines) {
            if (!hash.matches("[A-Za-z0-9+/]{43}=")
                    || !Checkpoint.encode(Base64.getDecoder().decode(hash)).equals(hash)) {
                throw new LogException("not a receipt: a line is no hash");
            }
        }
        return new Receipt(index, lines, text.substring(gap + 2));
    }

    /// The file.
    public String text() {
        return TITLE
                + "\nindex "
                + index
                + "\n"
                + String.join("", hashes.stream().map(h -> h + "\n").toList())
                + "\n"
                + checkpoint;
    }

    /// Checks that `entry` is in the log.
    ///
    /// @return the checkpoint that says so
    /// @throws LogException if it does not follow
    public Checkpoint check(byte[] entry, Collection<VerifyingKey> trusted) {
        var signed = Checkpoint.open(checkpoint.getBytes(UTF_8), trusted);
        if (index >= signed.size()) {
            throw new LogException(
                    "the checkpoint has " + signed.size() + " entries, and no " + index, index);
        }
        var hasher = new Hasher();
        byte[] hash = hasher.leaf(entry);
        long node = index;
        long last = signed.size() - 1;
        for (var text : hashes) {
            byte[] sibling = Base64.getDecoder().decode(text);
            if (last == 0) {
                throw mismatch();
            }
            if ((node & 1) == 1 || node == last) {
                hash = hasher.node(sibling, hash);
                while ((node & 1) == 0) {
                    node >>= 1;
                    last >>= 1;
                }
            } else {
                hash = hasher.node(hash, sibling);
            }
            node >>= 1;
            last >>= 1;
        }
        if (last != 0 || !signed.hasRoot(hash)) {
            throw mismatch();
        }
        return signed;
    }

    private LogException mismatch() {
        return new LogException(
                "this is not entry " + index + " of the log that was signed", index);
    }
}
