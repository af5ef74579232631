// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import java.util.regex.Pattern;

/// Whatever one agent or another takes for a space: those written in Rust, JavaScript and Python
/// differ from each other, and all of them from Java.
final class Spaces {
    private static final String ANY = "[\\s\\x1c-\\x1f\\x85\\p{Z}\\x{FEFF}]";
    private static final Pattern SOME = Pattern.compile(ANY + "+");
    private static final Pattern FIRST = Pattern.compile("^" + ANY + "+");
    private static final Pattern AROUND = Pattern.compile("^" + ANY + "|" + ANY + "\\z");

    private Spaces() {}

    static String[] split(String text) {
        return SOME.split(text);
    }

    /// `text` without those that it begins with.
    static String skip(String text) {
        return FIRST.matcher(text).replaceFirst("");
    }

    /// Whether `text` begins or ends with one: some agents take it off.
    static boolean areAround(String text) {
        return AROUND.matcher(text).find();
    }
}
