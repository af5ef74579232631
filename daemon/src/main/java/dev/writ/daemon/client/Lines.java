// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/// Bytes that come bit by bit, as lines.
final class Lines {
    private final Consumer<String> to;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();

    Lines(Consumer<String> to) {
        this.to = to;
    }

    void add(byte[] bytes) {
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                rest.write(bytes, start, i - start);
                to.accept(rest.toString(UTF_8));
                rest.reset();
                start = i + 1;
            }
        }
        rest.write(bytes, start, bytes.length - start);
    }

    void end() {
        if (rest.size() > 0) {
            to.accept(rest.toString(UTF_8));
        }
    }
}
