// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.nio.file.Path;
import java.util.List;

/// What people run most, once in each of the folders that it is given: the JVM keeps what that
/// loads, so that it need not be loaded again. Only `scripts/cache` starts it.
final class Rehearsal {
    /// Each does something that has classes of its own.
    private static final String COMMANDS =
            """
            echo x > file; cat file > /dev/null; cat missing; ls -la /
            printf '#!/bin/sh\\n:\\n' > script; chmod +x script; ./script
            mkdir folder; touch folder/a; mv folder/a folder/b; ln -s b folder/c; ln folder/b folder/d; rm -r folder
            cd /; : > /etc/refused
            """;

    private Rehearsal() {}

    public static void main(String[] folders) {
        for (var folder : folders) {
            Main.run(Path.of(folder), List.of("run", "--", "sh", "-c", COMMANDS));
        }
        System.exit(0); // as a command ends, which loads something, too
    }
}
