// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The smallest shared object that says a name and has symbols.
final class TinyElf {
    private TinyElf() {}

    /// @param strings the string table; it begins with a zero
    /// @param name where in it the object's own name is
    static byte[] of(String strings, int name, boolean hasInterpreter) {
        byte[] table = strings.getBytes(ISO_8859_1);
        var out = ByteBuffer.allocate(512 + table.length).order(ByteOrder.LITTLE_ENDIAN);
        out.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1});
        out.putShort(16, (short) 3).putLong(32, 64).putShort(56, (short) 3);
        header(out, 64, 1, 0, 0x10000, 512 + table.length);
        header(out, 120, 2, 400, 0x10000 + 400, 48);
        header(out, 176, hasInterpreter ? 3 : 4, 0, 0, 0);
        out.putLong(400, 5).putLong(408, 0x10000 + 512);
        out.putLong(416, 10).putLong(424, table.length);
        out.putLong(432, 14).putLong(440, name);
        out.put(512, table);
        return out.array();
    }

    private static void header(
            ByteBuffer out, int at, int type, long offset, long address, long length) {
        out.putInt(at, type).putLong(at + 8, offset).putLong(at + 16, address);
        out.putLong(at + 32, length);
    }
}
