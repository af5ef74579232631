// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

/// Something a person can tell Writ to do.
interface Verb {
    Manual manual();

    /// Does it, and gives the exit code.
    int run(Arguments arguments, World world);

    default String name() {
        return manual().name();
    }
}
