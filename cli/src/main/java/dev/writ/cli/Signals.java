// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import sun.misc.Signal;

/// Signals that somebody sends to Writ itself.
final class Signals {
    private Signals() {}

    /// Does `action` each time signal `name` comes, instead of what it does otherwise.
    static void on(String name, Runnable action) {
        var _ = Signal.handle(new Signal(name), _ -> action.run());
    }
}
