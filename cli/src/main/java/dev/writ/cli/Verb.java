// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.util.List;

/// Something a person can tell Writ to do.
interface Verb {
    Manual manual();

    /// Reads the words after the verb, and does it.
    default int runWords(List<String> words, World world) {
        return run(Arguments.parse(words, manual().options()), world);
    }

    /// Does it, and gives the exit code.
    int run(Arguments arguments, World world);

    default String name() {
        return manual().name();
    }
}
