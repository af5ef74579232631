// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Writes the few things that a certificate is made of. It reads nothing.
final class Der {
    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0C;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int UTC_TIME = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int OWN = 0x80;
    private static final int OWN_CONSTRUCTED = 0xA0;

    /// Years from here on are written with four digits.
    private static final int LONG_YEARS = 2050;

    private Der() {}

    static byte[] sequence(byte[]... parts) {
        return tagged(SEQUENCE, parts);
    }

    static byte[] set(byte[]... parts) {
        return tagged(SET, parts);
    }

    static byte[] integer(BigInteger number) {
        return tagged(INTEGER, number.toByteArray());
    }

    static byte[] yes() {
        return tagged(BOOLEAN, new byte[] {-1});
    }

    static byte[] text(String text) {
        return tagged(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] octets(byte[] bytes) {
        return tagged(OCTET_STRING, bytes);
    }

    /// Bits, of which the last `unused` do not count.
    static byte[] bits(int unused, byte[] bytes) {
        return tagged(BIT_STRING, new byte[] {(byte) unused}, bytes);
    }

    /// Something whose meaning is its place in the structure around it.
    static byte[] own(int number, byte[] bytes) {
        return tagged(OWN | number, bytes);
    }

    /// The same, made of parts.
    static byte[] ownOf(int number, byte[]... parts) {
        return tagged(OWN_CONSTRUCTED | number, parts);
    }

    static byte[] identifier(String dotted) {
        var numbers = dotted.split("\\.");
        var out = new ByteArrayOutputStream();
        out.write(40 * Integer.parseInt(numbers[0]) + Integer.parseInt(numbers[1]));
        for (int i = 2; i < numbers.length; i++) {
            int number = Integer.parseInt(numbers[i]);
            for (int shift = 28; shift >= 0; shift -= 7) {
                if (shift == 0 || number >>> shift != 0) {
                    out.write(((number >>> shift) & 0x7F) | (shift == 0 ? 0 : 0x80));
                }
            }
        }
        return tagged(OBJECT_IDENTIFIER, out.toByteArray());
    }

    static byte[] time(Instant at) {
        var utc = at.atOffset(ZoneOffset.UTC);
        boolean isLong = utc.getYear() >= LONG_YEARS;
        var format =
                DateTimeFormatter.ofPattern(
                        isLong ? "uuuuMMddHHmmss'Z'" : "uuMMddHHmmss'Z'", Locale.ROOT);
        return tagged(
                isLong ? GENERALIZED_TIME : UTC_TIME,
                utc.format(format).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] tagged(int tag, byte[]... parts) {
        int length = 0;
        for (var part : parts) {
            length += part.length;
        }
        var out = new ByteArrayOutputStream(length + 6);
        out.write(tag);
        length(out, length);
        for (var part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static void length(ByteArrayOutputStream out, int length) {
        if (length < 0x80) {
            out.write(length);
            return;
        }
        int bytes = (39 - Integer.numberOfLeadingZeros(length)) / 8;
        out.write(0x80 | bytes);
        for (int i = bytes - 1; i >= 0; i--) {
            out.write(length >>> (8 * i));
        }
    }
}
