// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// What the cases about commands need: a program that may not be run, and leaves a marker if it is.
record CommandFixtures(Workshop workshop, Layout layout, Fixtures fixtures) {
    private static final String SCRIPT = "#!/bin/sh\n: > \"$WS/marker\"\n";
    private static final String PROGRAM =
            """
            #include <stdio.h>
            #include <stdlib.h>
            int main(){char p[4096];snprintf(p,sizeof p,"%s/marker",getenv("WS"));return !fopen(p,"w");}
            """;
    private static final String COMMIT =
            """
            git init -q . && git add tracked.txt \
            && git -c user.name=canary -c user.email=canary@canary.test commit -q -m canary
            """;

    void write() throws IOException, InterruptedException {
        Path bin = layout.readOnly().resolve("bin");
        fixtures.program(bin.resolve("cc-denied"), SCRIPT.getBytes(StandardCharsets.UTF_8));
        if (workshop.tools().find("git").isPresent()) {
            commit();
        }
    }

    /// The same as a compiled program.
    void writeCompiled() throws IOException, InterruptedException {
        Path program = layout.readOnly().resolve("bin/cc-denied-elf");
        fixtures.program(program, workshop.compiler().compile(PROGRAM));
    }

    private void commit() throws IOException, InterruptedException {
        var builder = new ProcessBuilder(workshop.account().command(List.of("sh", "-c", COMMIT)));
        builder.environment().clear();
        builder.environment().put("PATH", workshop.tools().path());
        builder.environment().put("HOME", layout.workspace().toString());
        builder.directory(layout.workspace().toFile()).redirectErrorStream(true);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new StageException("no canary repository: " + said.strip());
        }
    }
}
