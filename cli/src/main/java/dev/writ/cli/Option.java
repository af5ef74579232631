// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

/// A flag of a verb.
///
/// @param value what its value is called in help; empty if it takes none
record Option(String name, String value, String purpose) {
    static final Option JSON = flag("json", "print JSON, one line each");

    static Option flag(String name, String purpose) {
        return new Option(name, "", purpose);
    }

    boolean takesValue() {
        return !value.isEmpty();
    }

    String usage() {
        return "--" + name + (takesValue() ? " " + value : "");
    }
}
