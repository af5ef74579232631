// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.conformance.Probe;
import java.util.List;

/// Tries the containment corpus against a sandbox. It reads its own flags.
final class ProbeVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "probe",
                "try the containment corpus against a sandbox",
                "[FLAGS] [GROUP|ID|PATTERN...]",
                List.of(
                        "writ probe --launcher @bubblewrap",
                        "writ probe --launcher none A fs-*",
                        "writ probe --html report.html -- firejail --quiet --"),
                List.of(
                        new Option("backend", "NAME", "Writ with this backend"),
                        new Option(
                                "launcher",
                                "WORDS",
                                "a command line, @NAME of a ready one, or none"),
                        Option.flag(
                                "commands", "the launcher has rules about commands: group C, too"),
                        new Option(
                                "without", "NAMES", "on a kernel that lacks landlock, userns, ..."),
                        Option.flag("list", "show the cases"),
                        new Option("jobs", "N", "how many at a time"),
                        new Option("time-limit", "S", "for one run of a probe"),
                        new Option("user", "USER", "whom root runs probes as"),
                        Option.JSON,
                        new Option("junit", "FILE", "write results for build servers"),
                        new Option("html", "FILE", "write one page to look at")));
    }

    @Override
    public int runWords(List<String> words, World world) {
        return Probe.run(
                words,
                world.launcher(),
                world.variables(),
                world.out(),
                world.err(),
                world.colourful());
    }

    @Override
    public int run(Arguments arguments, World world) {
        throw new IllegalStateException("probe reads its own flags");
    }
}
