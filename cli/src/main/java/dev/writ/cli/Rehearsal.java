// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.nio.file.Path;
import java.util.List;

/// What people run most, once in each of the folders that it is given: the JVM keeps what that
/// loads, so that it need not be loaded again. Only `scripts/cache` starts it.
final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] folders) {
        for (var folder : folders) {
            Main.run(
                    Path.of(folder),
                    List.of(
                            "run",
                            "--",
                            "/bin/sh",
                            "-c",
                            "echo x > file; cat file; cat missing; ls /; cd /; : > /etc/refused"));
        }
        System.exit(0); // as a command ends, which loads something, too
    }
}
