// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// The texts that come with the module.
public final class Resources {
    private Resources() {}

    public static String text(String name) {
        try (InputStream in =
                Resources.class.getResourceAsStream("/dev/writ/conformance/" + name)) {
            if (in == null) {
                throw new IllegalStateException("missing: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
