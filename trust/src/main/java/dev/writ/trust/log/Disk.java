// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.Chance;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;

/// What a log does to the disk, in one place, so that tests can let it fail.
class Disk {
    /// A file that grows.
    interface Tape extends AutoCloseable {
        /// Returns when it is on the disk.
        void write(byte[] bytes, int length) throws IOException;

        @Override
        void close() throws IOException;
    }

    /// Opens a file to write behind what is in it.
    Tape tape(Path path) throws IOException {
        return new GrowingFile(path);
    }

    /// Puts a file in place of another, as a whole.
    void replace(Path path, byte[] bytes, int length, boolean durably) throws IOException {
        WholeFile.replace(path, bytes, length, durably);
    }

    /// What tells one start of the machine from the next, or nothing where that cannot be known.
    byte[] boot() {
        byte[] boot = new byte[16];
        try (var in = new FileInputStream("/proc/sys/kernel/random/boot_id")) {
            String text = new String(in.readNBytes(36), US_ASCII);
            byte[] found = HexFormat.of().parseHex(text.replace("-", ""));
            return Arrays.copyOf(found, 16);
        } catch (IOException | IllegalArgumentException e) {
            return boot;
        }
    }

    long random() {
        return ByteBuffer.wrap(Chance.bytes(8)).getLong();
    }
}
