// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// How a policy is going to be enforced: what the kernel does by itself, what is judged call by
/// call and why, and what this machine cannot do. A value; nothing has happened yet.
///
/// @param kernelRules what Landlock grants
/// @param missing what this kernel cannot guarantee
/// @param notes what else the operator should know
public record Plan(
        Way reads,
        Way writes,
        List<KernelRule> kernelRules,
        List<Missing> missing,
        List<String> notes) {
    /// Who enforces one sort of access.
    ///
    /// @param brokered whether each call is judged; otherwise the kernel decides by itself
    /// @param why which rule needs that; empty if the kernel suffices
    public record Way(boolean brokered, String why) {
        static final Way KERNEL = new Way(false, "");
    }

    /// What Landlock can grant on a tree of files.
    public enum Right {
        READ,
        WRITE,
        EXECUTE,
        DEVICE
    }

    /// Rights on a path and everything below.
    public record KernelRule(FilePath path, Set<Right> rights) {
        public KernelRule {
            rights = Set.copyOf(rights);
        }
    }

    /// A guarantee that this kernel cannot give.
    ///
    /// @param name what `--accept-weaker` calls it
    /// @param remedy how to get it
    /// @param acceptable whether the operator may do without it
    public record Missing(String name, String what, String remedy, boolean acceptable) {}

    public Plan {
        kernelRules = List.copyOf(kernelRules);
        missing = List.copyOf(missing);
        notes = List.copyOf(notes);
    }

    /// The plan for people, one thing a line: what, how, why.
    public List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add(line("reads", reads));
        lines.add(line("writes", writes));
        lines.add("names      judged each time: mode, owner, times, attributes and flags of files");
        lines.add("programs   judged when they start, with their arguments, before they run");
        lines.add(
                "network    refused, but for named sockets and this machine's own addresses that"
                        + " a rule names");
        for (var rule : kernelRules) {
            lines.add(
                    "kernel     "
                            + Text.shown(rule.path().toString())
                            + ": "
                            + words(rule.rights()));
        }
        notes.forEach(note -> lines.add("note       " + note));
        for (var gap : missing) {
            lines.add("missing    " + gap.name() + ": " + gap.what() + "; " + gap.remedy());
        }
        return lines;
    }

    private static String line(String name, Way way) {
        return String.format("%-11s", name)
                + (way.brokered() ? "judged each time: " + way.why() : "by the kernel alone");
    }

    static String words(Set<Right> rights) {
        return EnumSet.copyOf(rights).stream()
                .map(r -> r.name().toLowerCase(java.util.Locale.ROOT))
                .collect(Collectors.joining(", "));
    }
}
