// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.util.List;

/// Something a person can tell Writ to do.
interface Verb {
    String name();

    /// One line for the list of verbs.
    String purpose();

    /// How it is used, after `writ NAME`.
    String usage();

    /// Commands to try, each with what it does.
    List<String> examples();

    List<Option> options();

    /// Does it, and gives the exit code.
    int run(Arguments arguments, World world);
}
