// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;

/// One block of 512 bytes at the beginning of an entry, as POSIX has it (ustar).
record TarHeader(byte[] block) {
    static final int BLOCK = 512;
    static final int NAME = 100;

    private static final int SIZE_AT = 124;
    private static final int SUM_AT = 148;
    private static final int TYPE_AT = 156;
    private static final int LINK_AT = 157;
    private static final int MAGIC_AT = 257;
    private static final int PREFIX_AT = 345;

    /// A new one.
    static TarHeader of(String name, char type, int mode, long size, long modified, String link) {
        byte[] block = new byte[BLOCK];
        text(block, 0, NAME, name);
        octal(block, 100, 8, mode);
        octal(block, 108, 8, 0);
        octal(block, 116, 8, 0);
        octal(block, SIZE_AT, 12, size);
        octal(block, 136, 12, Math.max(0, modified));
        block[TYPE_AT] = (byte) type;
        text(block, LINK_AT, NAME, link);
        text(block, MAGIC_AT, 8, "ustar\00000");
        octal(block, SUM_AT, 7, sum(block));
        block[SUM_AT + 7] = ' ';
        return new TarHeader(block);
    }

    /// Whether nothing is in it: two of them end an archive.
    boolean isEmpty() {
        for (byte b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    /// @throws FileException if it is none
    void requireWhole() {
        String magic = new String(block, MAGIC_AT, 5, ISO_8859_1);
        if (!magic.equals("ustar") || number(SUM_AT, 8) != sum(block)) {
            throw new FileException(Kind.INVALID, "not a tar archive, or a broken one");
        }
    }

    char type() {
        return block[TYPE_AT] == 0 ? '0' : (char) block[TYPE_AT];
    }

    /// As bytes that are characters.
    String name() {
        boolean posix = block[MAGIC_AT + 5] == 0;
        String prefix = posix ? text(PREFIX_AT, 155) : "";
        return prefix.isEmpty() ? text(0, NAME) : prefix + "/" + text(0, NAME);
    }

    String link() {
        return text(LINK_AT, NAME);
    }

    long size() {
        return number(SIZE_AT, 12);
    }

    int mode() {
        return (int) (number(100, 8) & 0777);
    }

    private String text(int at, int length) {
        int end = at;
        while (end < at + length && block[end] != 0) {
            end++;
        }
        return new String(block, at, end - at, ISO_8859_1);
    }

    /// In octal; or as GNU has large ones, in the bytes themselves.
    private long number(int at, int length) {
        if ((block[at] & 0x80) != 0) {
            long value = block[at] & 0x3f;
            for (int i = at + 1; i < at + length; i++) {
                value = (value << 8) | (block[i] & 0xff);
            }
            return requireNumber(value);
        }
        String digits = text(at, length).strip();
        try {
            return digits.isEmpty() ? 0 : requireNumber(Long.parseLong(digits, 8));
        } catch (NumberFormatException e) {
            throw new FileException(Kind.INVALID, "not a number in a tar archive");
        }
    }

    private static long requireNumber(long value) {
        if (value < 0) {
            throw new FileException(Kind.INVALID, "not a number in a tar archive");
        }
        return value;
    }

    private static void text(byte[] block, int at, int length, String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        System.arraycopy(bytes, 0, block, at, Math.min(bytes.length, length));
    }

    private static void octal(byte[] block, int at, int length, long value) {
        var text = new StringBuilder(Long.toOctalString(value));
        while (text.length() < length - 1) {
            text.insert(0, '0');
        }
        text(block, at, length - 1, text.substring(text.length() - (length - 1)));
    }

    private static long sum(byte[] block) {
        long sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= SUM_AT && i < SUM_AT + 8 ? ' ' : block[i] & 0xff;
        }
        return sum;
    }
}
