// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import java.io.FileInputStream;
import java.io.IOException;
import java.security.SecureRandom;

/// Bytes that nobody can guess. From the kernel where that is possible: to load SecureRandom takes
/// a short command 13 ms.
public final class Chance {
    private Chance() {}

    public static byte[] bytes(int count) {
        try (var kernel = new FileInputStream("/dev/urandom")) {
            byte[] bytes = kernel.readNBytes(count);
            if (bytes.length == count) {
                return bytes;
            }
        } catch (IOException e) {
            // The JDK may know another way.
        }
        byte[] bytes = new byte[count];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }
}
