// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.file.Draft;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.OpenFile;
import java.io.ByteArrayOutputStream;
import java.util.Optional;

/// Replaces a text by another one in a file: all of it or nothing, and only in what was read. Bytes
/// are compared, so the rest of the file stays as it is, text or not.
///
/// @param all whether the text may be there more than once, and is replaced everywhere
record Edit(SessionFiles files, String path, String old, String text, boolean all) {
    /// @return how often the text was there
    int apply() {
        if (old.isEmpty() || old.equals(text)) {
            throw new FileException(
                    Kind.INVALID, "the text to replace is empty, or the same as the new one");
        }
        byte[] before;
        String tag;
        try (OpenFile file = files.open(path)) {
            before = SessionFiles.bytes(file, 0, SessionFiles.MOST_BYTES + 1);
            tag = file.status().tag();
        }
        if (before.length > SessionFiles.MOST_BYTES) {
            throw tooMuch("has");
        }
        var after = new ByteArrayOutputStream(before.length + text.length());
        int times = replace(before, old.getBytes(UTF_8), text.getBytes(UTF_8), after);
        if (times == 0 || (times > 1 && !all)) {
            throw new FileException(
                    Kind.NO_MATCH,
                    SessionFiles.shown(path)
                            + (times == 0
                                    ? ": the text to replace is not there"
                                    : ": the text to replace is there "
                                            + times
                                            + " times; say more of it, or that all are meant"));
        }
        files.write(path, after.toByteArray(), new Draft.Wish(Optional.of(tag), false, false));
        return times;
    }

    private FileException tooMuch(String when) {
        return new FileException(
                Kind.TOO_MUCH,
                SessionFiles.shown(path)
                        + ": it "
                        + when
                        + " more than "
                        + SessionFiles.MOST_BYTES
                        + " bytes, which cannot be edited");
    }

    private int replace(byte[] from, byte[] old, byte[] by, ByteArrayOutputStream to) {
        int times = 0;
        int start = 0;
        for (int at = find(from, old, 0); at >= 0; at = find(from, old, start)) {
            to.write(from, start, at - start);
            if ((long) to.size() + by.length > SessionFiles.MOST_BYTES) {
                throw tooMuch("would have");
            }
            to.writeBytes(by);
            start = at + old.length;
            times++;
        }
        to.write(from, start, from.length - start);
        return times;
    }

    /// Where `part` is in `whole`, from `start` on. A text is searched for in time that grows with
    /// both, whatever is in them.
    private static int find(byte[] whole, byte[] part, int start) {
        int[] borders = borders(part);
        int fits = 0;
        for (int i = start; i < whole.length; i++) {
            while (fits > 0 && whole[i] != part[fits]) {
                fits = borders[fits - 1];
            }
            fits += whole[i] == part[fits] ? 1 : 0;
            if (fits == part.length) {
                return i - part.length + 1;
            }
        }
        return -1;
    }

    /// How much of the beginning of each part of `bytes` is its end as well.
    private static int[] borders(byte[] bytes) {
        int[] borders = new int[bytes.length];
        int length = 0;
        for (int i = 1; i < bytes.length; i++) {
            while (length > 0 && bytes[i] != bytes[length]) {
                length = borders[length - 1];
            }
            length += bytes[i] == bytes[length] ? 1 : 0;
            borders[i] = length;
        }
        return borders;
    }
}
