// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;

/// The beginning and the end of what a program writes, and how much there was between: an agent
/// reads both, and nobody reads a gigabyte.
final class Excerpt {
    private final int most;
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private final byte[] tail;
    private long length;

    /// @param most how many bytes of the beginning are kept, and how many of the end
    Excerpt(int most) {
        this.most = most;
        this.tail = new byte[most];
    }

    void write(byte[] bytes) {
        int first = Math.min(bytes.length, most - head.size());
        head.write(bytes, 0, first);
        for (int i = Math.max(first, bytes.length - most); i < bytes.length; i++) {
            tail[(int) ((length + i) % most)] = bytes[i];
        }
        length += bytes.length;
    }

    long length() {
        return length;
    }

    boolean isCut() {
        return length > 2L * most;
    }

    /// What is no UTF-8 is shown as a question mark in a box.
    String text() {
        if (length <= head.size()) {
            return head.toString(UTF_8);
        }
        if (!isCut()) {
            var whole = new ByteArrayOutputStream();
            whole.writeBytes(head.toByteArray());
            whole.writeBytes(end((int) (length - most)));
            return whole.toString(UTF_8);
        }
        return head.toString(UTF_8)
                + "\n[writ: "
                + (length - 2L * most)
                + " bytes are left out here]\n"
                + new String(end(most), UTF_8);
    }

    private byte[] end(int count) {
        byte[] end = new byte[count];
        int from = (int) ((length - count) % most);
        int part = Math.min(count, most - from);
        System.arraycopy(tail, from, end, 0, part);
        System.arraycopy(tail, 0, end, part, count - part);
        return end;
    }
}
