// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import java.util.Optional;

/// Which bytes of a file are wanted.
///
/// @param end behind the last one
record ByteRange(long start, long end) {
    private static final String UNIT = "bytes=";
    private static final int LONGEST = 18;

    /// What a `range` field asks for, of `size` bytes; empty for all of them, as also for what is
    /// not understood.
    ///
    /// @throws ApiException if there is nothing of it
    static Optional<ByteRange> of(String field, long size) {
        int dash = field.indexOf('-');
        if (!field.startsWith(UNIT) || dash < 0) {
            return Optional.empty();
        }
        String first = field.substring(UNIT.length(), dash);
        String last = field.substring(dash + 1);
        if (!isNumber(first) || !isNumber(last) || (first.isEmpty() && last.isEmpty())) {
            return Optional.empty();
        }
        long start = first.isEmpty() ? Math.max(0, size - number(last)) : number(first);
        long end = first.isEmpty() || last.isEmpty() ? size : Math.min(size, number(last) + 1);
        if (start >= end) {
            throw new ApiException(
                    416, "file.range", "the file has " + size + " bytes, and none of those");
        }
        return Optional.of(new ByteRange(start, end));
    }

    private static boolean isNumber(String text) {
        return text.length() <= LONGEST && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }
}
