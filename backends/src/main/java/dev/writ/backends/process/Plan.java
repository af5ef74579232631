// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// How a policy is going to be enforced: what the kernel does by itself, what is judged call by
/// call and why, and what this machine cannot do. A value; nothing has happened yet.
///
/// @param kernelRules what Landlock grants
/// @param missing what this kernel cannot guarantee
/// @param limits how much may be used
public record Plan(
        Way reads,
        Way writes,
        List<KernelRule> kernelRules,
        List<Missing> missing,
        List<Bound> limits) {
    private static final Map<Right, String> WORDS =
            Map.of(
                    Right.READ, "reads only below",
                    Right.WRITE, "writes only below",
                    Right.EXECUTE, "starts programs only below",
                    Right.DEVICE, "drives devices only at");

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

    /// Whether the kernel refuses to start some programs, which it tells nobody: so starts wait
    /// until somebody has looked.
    boolean holdsStarts() {
        return !startable().contains(FilePath.ROOT);
    }

    /// Below which the kernel starts programs.
    List<FilePath> startable() {
        return kernelRules.stream()
                .filter(rule -> rule.rights().contains(Right.EXECUTE))
                .map(KernelRule::path)
                .toList();
    }

    /// A guarantee that this kernel cannot give.
    ///
    /// @param name what `--accept-weaker` calls it
    /// @param remedy how to get it
    /// @param acceptable whether the operator may do without it
    public record Missing(String name, String what, String remedy, boolean acceptable) {
        static final String LETTERS = "letters";

        /// Whether it is about files, whoever reaches for them.
        boolean ofFiles() {
            return name.equals(LETTERS);
        }
    }

    /// How much may be used of something.
    ///
    /// @param limit the capability
    /// @param source where it stands
    /// @param how what enforces it
    public record Bound(String limit, String source, String how) {}

    public Plan {
        limits = List.copyOf(limits);
        kernelRules = List.copyOf(kernelRules);
        missing = List.copyOf(missing);
    }

    /// The same with limits.
    Plan limitedBy(List<Bound> bounds) {
        return new Plan(reads, writes, kernelRules, missing, bounds);
    }

    /// The plan for people, one thing a line: what, how, why.
    public List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add(line("reads", reads));
        lines.add(line("writes", writes));
        lines.add("attributes judged each time: the kernel has no rule for mode, owner and times");
        lines.add("programs   judged when they start, with their arguments, before they run");
        lines.add(
                "network    refused, but for what a rule names: others through the proxy, this machine"
                        + " directly");
        for (var right : Right.values()) {
            var paths = trees(right);
            if (!paths.isEmpty()) {
                lines.add("kernel     " + WORDS.get(right) + " " + String.join(", ", paths));
            }
        }
        limits.forEach(
                l -> lines.add("limit      " + l.limit() + " (" + l.source() + "): " + l.how()));
        for (var gap : missing) {
            lines.add("missing    " + gap.name() + ": " + gap.what() + "; " + gap.remedy());
        }
        return lines;
    }

    /// Where the kernel grants `right`, without what lies below another such place.
    private List<String> trees(Right right) {
        if (right == Right.READ && reads.brokered()) {
            return List.of(); // only to start programs; whoever else reads is judged
        }
        var paths =
                kernelRules.stream()
                        .filter(r -> r.rights().contains(right))
                        .map(KernelRule::path)
                        .toList();
        return paths.stream()
                .filter(p -> paths.stream().noneMatch(q -> !q.equals(p) && p.startsWith(q)))
                .map(p -> Text.shown(p.toString()))
                .toList();
    }

    private static String line(String name, Way way) {
        return String.format("%-11s", name)
                + (way.brokered()
                        ? "judged each time, because " + way.why()
                        : "by the kernel alone");
    }
}
