// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What a process uses, in KB and in numbers.
record Footprint(long resident, long share, long threads, long descriptors) {
    /// This process.
    static Footprint now() throws Exception {
        System.gc();
        Thread.sleep(1000); // what has ended goes away
        return of("self");
    }

    /// @param process as `/proc` calls it
    static Footprint of(String process) throws IOException {
        var folder = Path.of("/proc", process);
        return new Footprint(
                number(folder.resolve("status"), "VmRSS:"),
                number(folder.resolve("smaps_rollup"), "Pss:"),
                number(folder.resolve("status"), "Threads:"),
                count(folder.resolve("fd")));
    }

    private static long number(Path file, String name) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).replace("kB", "").strip())
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow();
    }

    private static long count(Path folder) throws IOException {
        try (var all = Files.list(folder)) {
            return all.count();
        }
    }
}
