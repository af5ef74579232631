// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// A text with signatures below it, as in C2SP's signed-note.
///
/// @param text what was signed: lines, the last one ended as well
/// @param signer the key whose signature was found good
public record Note(String text, VerifyingKey signer) {
    private static final int LONGEST = 100_000;
    private static final int MOST_SIGNATURES = 100;
    private static final String DASH = "\u2014 ";

    /// The whole note: `text`, an empty line, and the signature of `key`.
    public static byte[] sign(String text, SigningKey key) {
        if (!text.endsWith("\n") || !plain(text)) {
            throw new IllegalArgumentException("a note's text is whole lines of plain text");
        }
        byte[] signature = key.sign(text.getBytes(UTF_8));
        byte[] both = Arrays.copyOf(key.verifying().id(), 4 + signature.length);
        System.arraycopy(signature, 0, both, 4, signature.length);
        String line = DASH + key.name() + " " + Base64.getEncoder().encodeToString(both) + "\n";
        return (text + "\n" + line).getBytes(UTF_8);
    }

    /// Checks a note. Signatures of strangers are passed over; one of a key in `trusted` must be
    /// there, and each of theirs must be good.
    ///
    /// @throws KeyException if it is no note, or nobody who is trusted signed it
    public static Note open(byte[] bytes, Collection<VerifyingKey> trusted) {
        String whole = decode(bytes);
        String text = textOf(whole);
        VerifyingKey signer = null;
        String[] lines = whole.substring(text.length() + 1).split("\n", -1);
        if (lines.length - 1 > MOST_SIGNATURES) {
            throw new KeyException("a note with more than " + MOST_SIGNATURES + " signatures");
        }
        for (int i = 0; i < lines.length - 1; i++) {
            var found = check(lines[i], text, trusted);
            signer = signer == null ? found : signer;
        }
        if (signer == null) {
            throw new KeyException("the note is not signed by a key that is trusted here");
        }
        return new Note(text, signer);
    }

    /// The text of a note whose signatures nobody has looked at.
    public static String unverifiedText(byte[] bytes) {
        return textOf(decode(bytes));
    }

    private static String textOf(String whole) {
        int gap = whole.lastIndexOf("\n\n");
        if (gap < 0 || gap + 2 == whole.length() || !whole.endsWith("\n") || !plain(whole)) {
            throw new KeyException("not a signed note: a text, an empty line, and signatures");
        }
        return whole.substring(0, gap + 1);
    }

    /// The trusted key that the line is a good signature of, or null if it is a stranger's.
    private static @Nullable VerifyingKey check(
            String line, String text, Collection<VerifyingKey> trusted) {
        int space = line.lastIndexOf(' ');
        if (!line.startsWith(DASH) || space <= DASH.length()) {
            throw new KeyException("a note has a line that is no signature: `" + shown(line) + "`");
        }
        String name = line.substring(DASH.length(), space);
        byte[] both = base64(line.substring(space + 1));
        if (both == null || both.length < 5) {
            throw new KeyException("a note has a malformed signature of `" + shown(name) + "`");
        }
        for (var key : trusted) {
            if (key.name().equals(name) && Arrays.equals(key.id(), 0, 4, both, 0, 4)) {
                byte[] signature = Arrays.copyOfRange(both, 4, both.length);
                if (!key.verifies(text.getBytes(UTF_8), signature)) {
                    throw new KeyException("the signature of `" + name + "` does not fit the text");
                }
                return key;
            }
        }
        return null;
    }

    private static String decode(byte[] bytes) {
        if (bytes.length > LONGEST) {
            throw new KeyException("a note longer than " + LONGEST + " bytes");
        }
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new KeyException("not a signed note: not UTF-8");
        }
    }

    private static boolean plain(String text) {
        return text.chars().allMatch(c -> c == '\n' || (c >= ' ' && c != 0x7F));
    }

    private static String shown(String text) {
        String start = text.substring(0, Math.min(text.length(), 60));
        return start.replaceAll("[^ -~]", "?");
    }

    /// Base64 in its one canonical form, or null.
    static byte @Nullable [] base64(String text) {
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            return Base64.getEncoder().encodeToString(bytes).equals(text) ? bytes : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
