// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.backends.process.Facts.Kind;
import dev.writ.backends.process.Plan.KernelRule;
import dev.writ.backends.process.Plan.Missing;
import dev.writ.backends.process.Plan.Right;
import dev.writ.backends.process.Plan.Way;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Device;
import dev.writ.core.capability.Exec;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.capability.PathPattern;
import dev.writ.core.capability.Shell;
import dev.writ.core.capability.Text;
import dev.writ.core.pattern.Pattern.Item;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Policy.Reach;
import dev.writ.core.policy.Rule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Makes the plan for a policy. Pure: it asks nothing of the machine but the given facts.
///
/// The kernel can grant trees of files and nothing finer. Where a policy is finer than that, calls
/// are judged one by one. When in doubt they are: that costs time, never safety.
final class Planner {
    private static final FilePath DEVICES = FilePath.of("/dev");
    private static final FilePath PROCESSES = FilePath.of("/proc");

    /// What starts programs that need libraries. The kernel opens it for every such program.
    private static final List<FilePath> LOADERS =
            Stream.of(
                            "/lib64/ld-linux-x86-64.so.2",
                            "/lib/ld-linux-aarch64.so.1",
                            "/lib/ld-musl-x86_64.so.1",
                            "/lib/ld-musl-aarch64.so.1")
                    .map(FilePath::of)
                    .toList();

    private final Policy policy;
    private final Facts facts;
    private final boolean replaced;

    /// What is allowed to be read, and to be written; and where programs lie. Asked for often.
    private final List<FilePath> readable;

    private final List<FilePath> writable;
    private final List<FilePath> programs;

    /// What the kernel should grant, by its path: a folder comes before what lies in it.
    private final Map<String, KernelRule> wanted = new TreeMap<>();

    private Planner(Policy policy, Facts facts, boolean replaced) {
        this.policy = policy;
        this.facts = facts;
        this.replaced = replaced;
        this.readable = allowed(Right.READ);
        this.writable = allowed(Right.WRITE);
        this.programs = programs();
    }

    static boolean isLoader(FilePath path) {
        return LOADERS.contains(path);
    }

    static Plan plan(Policy policy, Facts facts) {
        return plan(policy, facts, false);
    }

    /// @param replaced whether some files are found with other contents
    static Plan plan(Policy policy, Facts facts, boolean replaced) {
        return new Planner(policy, facts, replaced).plan();
    }

    private Plan plan() {
        var reads = reads().map(why -> new Way(true, why)).orElse(Way.KERNEL);
        var writes =
                (reads.brokered()
                                // What may be written may be read and moved as well.
                                ? Optional.of("reads are")
                                : writes())
                        .map(why -> new Way(true, why))
                        .orElse(Way.KERNEL);
        programs.forEach(path -> grant(path, EnumSet.of(Right.READ, Right.EXECUTE)));
        LOADERS.forEach(path -> grant(path, EnumSet.of(Right.READ, Right.EXECUTE)));
        if (!reads.brokered()) {
            readable.forEach(p -> grant(p, EnumSet.of(Right.READ)));
            devices().forEach(p -> grant(p, EnumSet.of(Right.READ, Right.DEVICE)));
        }
        if (!writes.brokered()) {
            writable.forEach(p -> grant(p, EnumSet.of(Right.READ, Right.WRITE)));
            devices().forEach(p -> grant(p, EnumSet.of(Right.READ, Right.WRITE, Right.DEVICE)));
        }
        return new Plan(reads, writes, kernelRules(), missing(), List.of());
    }

    private void grant(FilePath path, Set<Right> rights) {
        wanted.merge(
                path.toString(),
                new KernelRule(path, rights),
                (a, b) -> {
                    var both = EnumSet.copyOf(a.rights());
                    both.addAll(b.rights());
                    return new KernelRule(path, both);
                });
    }

    /// What the kernel is told: not what is not there, and not what a folder above grants anyway.
    /// The machine is asked about each at every start, and the kernel about each at every open.
    private List<KernelRule> kernelRules() {
        var told = new TreeMap<String, KernelRule>();
        for (var rule : wanted.values()) {
            if (!isGrantedAbove(rule, told) && facts.kinds().apply(rule.path()) != Kind.MISSING) {
                told.put(rule.path().toString(), rule);
            }
        }
        return List.copyOf(told.values());
    }

    private static boolean isGrantedAbove(KernelRule rule, Map<String, KernelRule> told) {
        if (isLoader(rule.path())) {
            return false; // found through links, by which nothing above is
        }
        for (var path = rule.path(); !path.equals(FilePath.ROOT); ) {
            path = path.parent();
            var above = told.get(path.toString());
            if (above != null && above.rights().containsAll(rule.rights())) {
                return true;
            }
        }
        return false;
    }

    /// Why reads have to be judged; nothing if the kernel can do it.
    private Optional<String> reads() {
        return Stream.<Stream<String>>of(
                        bounded(),
                        unfit(Right.READ),
                        unfitDevices(),
                        programsThatCannotBeRead(),
                        exceptions(Right.READ),
                        replaced())
                .flatMap(s -> s)
                .findFirst();
    }

    /// What the kernel has granted it does not ask about again, and what holds today can end.
    private Stream<String> bounded() {
        return policy.bounds().isEmpty() ? Stream.empty() : Stream.of("a token narrows the policy");
    }

    private Stream<String> replaced() {
        return replaced ? Stream.of("certificates are handed over") : Stream.empty();
    }

    private Optional<String> writes() {
        return Stream.of(unfit(Right.WRITE), exceptions(Right.WRITE), exchangeable(), counted())
                .flatMap(s -> s)
                .findFirst();
    }

    /// A limit on disks, which new files count for.
    private Stream<String> counted() {
        return policy.limitRule(Resource.DISK).stream().map(rule -> rule + " counts new files");
    }

    /// Rules for a socket or a device by a name that another one could be given. In the session's
    /// own folder names do not count, see [OwnSockets].
    private Stream<String> exchangeable() {
        return policy.reach().stream()
                .filter(
                        r ->
                                special(r.capability())
                                        .filter(p -> !isOwn(p))
                                        .anyMatch(p -> overlaps(p, writable)))
                .map(r -> r.rule() + " names what could be exchanged for another");
    }

    private boolean isOwn(PathPattern path) {
        return policy.unguarded().filter(path.prefix()::startsWith).isPresent();
    }

    private static Stream<PathPattern> special(Capability capability) {
        // A switch over types would have to be linked at each start.
        if (capability instanceof Capability.Unix(var path)) {
            return Stream.of(path);
        }
        return capability instanceof Device.At(var path) ? Stream.of(path) : Stream.empty();
    }

    /// Rules that grant something else than a tree of ordinary files.
    private Stream<String> unfit(Right right) {
        return policy.reach().stream()
                .filter(r -> r.rule().effect() == Effect.ALLOW)
                .flatMap(
                        r ->
                                paths(r.capability(), right)
                                        .flatMap(p -> why(p).stream())
                                        .map(why -> r.rule() + " " + why));
    }

    private Optional<String> why(PathPattern path) {
        if (!isTree(path)) {
            return Optional.of("is finer than a folder");
        }
        if (touch(path.prefix(), PROCESSES)) {
            return Optional.of("includes what the processes of others show in /proc");
        }
        if (touch(path.prefix(), DEVICES) && !(facts.kinds().apply(path.prefix()) == Kind.DEVICE)) {
            return Optional.of("includes devices, which need a right of their own");
        }
        return facts.kinds().apply(path.prefix()) == Kind.FILE
                ? Optional.of("names a file, which can be replaced by another one of that name")
                : Optional.empty();
    }

    static boolean isTree(PathPattern path) {
        return path.items().size() == path.prefix().segments().size() + 1
                && path.items().getLast() instanceof Item.Many;
    }

    private Stream<String> unfitDevices() {
        return policy.reach().stream()
                .filter(
                        r ->
                                r.capability() instanceof Device.Gpu
                                        || (r.capability() instanceof Device.At(var path)
                                                && !isTree(path)))
                .map(r -> r.rule() + " is finer than a folder");
    }

    /// To start a program the kernel has to read it, so its rule for that lets others read it, too.
    private Stream<String> programsThatCannotBeRead() {
        return programs.stream()
                .filter(p -> readable.stream().noneMatch(p::startsWith))
                .filter(p -> facts.kinds().apply(p) != Kind.MISSING)
                .map(p -> "`" + p + "` may be started and not read");
    }

    /// Rules that take something out of the middle of what others grant.
    private Stream<String> exceptions(Right right) {
        var granted = right == Right.READ ? readable : writable;
        var guards = policy.guards().stream().map(g -> new Reach(g, g.capability()));
        return Stream.concat(policy.reach().stream(), guards)
                .filter(r -> r.rule().effect() != Effect.ALLOW)
                .filter(r -> forbidden(r.capability(), right).anyMatch(p -> overlaps(p, granted)))
                .map(r -> verb(r.rule()) + " inside of what is granted");
    }

    private static String verb(Rule rule) {
        return rule + (rule.effect() == Effect.ASK ? " asks" : " denies");
    }

    private static boolean overlaps(PathPattern path, List<FilePath> trees) {
        return trees.stream().anyMatch(t -> touch(path.prefix(), t));
    }

    private static boolean touch(FilePath one, FilePath other) {
        return one.startsWith(other) || other.startsWith(one);
    }

    private List<FilePath> allowed(Right right) {
        return policy.reach().stream()
                .filter(r -> r.rule().effect() == Effect.ALLOW)
                .flatMap(r -> paths(r.capability(), right))
                .map(PathPattern::prefix)
                .distinct()
                .toList();
    }

    /// The paths on which `capability` grants `right`: what may be written may be read.
    private static Stream<PathPattern> paths(Capability capability, Right right) {
        return capability instanceof Capability.Write(var path)
                ? Stream.of(path)
                : forbidden(capability, right);
    }

    private static Stream<PathPattern> forbidden(Capability capability, Right right) {
        if (right == Right.READ && capability instanceof Capability.Read(var path)) {
            return Stream.of(path);
        }
        return right == Right.WRITE && capability instanceof Capability.Write(var path)
                ? Stream.of(path)
                : Stream.empty();
    }

    private List<FilePath> devices() {
        return policy.reach().stream()
                .filter(r -> r.rule().effect() == Effect.ALLOW)
                .map(Reach::capability)
                .filter(Device.At.class::isInstance)
                .map(c -> ((Device.At) c).path().prefix())
                .toList();
    }

    /// Where programs lie that may be started, or asked for. More than the rules say in detail: the
    /// kernel is the first wall here, and each start is judged.
    private List<FilePath> programs() {
        return policy.reach().stream()
                .filter(r -> r.rule().effect() != Effect.DENY)
                .flatMap(r -> programs(r.capability()))
                .map(this::whereItStays)
                .distinct()
                .toList();
    }

    /// The kernel's rules are for what is there when it starts. A folder that can be written is
    /// there all the time; one inside of it can be made, or removed and made again.
    private FilePath whereItStays(FilePath program) {
        var stays = program;
        for (var tree : writable) {
            if (stays.startsWith(tree) && facts.kinds().apply(tree) == Kind.FOLDER) {
                stays = tree;
            }
        }
        return stays;
    }

    private static Stream<FilePath> programs(Capability capability) {
        if (capability instanceof Exec(Exec.Program.At(var path), _)) {
            return Stream.of(path.prefix());
        }
        if (capability instanceof Exec(Exec.Program.Named(var name, var folders), _)) {
            return folders.stream().map(f -> f.resolve(name));
        }
        if (capability instanceof Shell.Any) {
            return Stream.of(FilePath.ROOT);
        }
        if (capability instanceof Shell.ReadOnly(var folders)) {
            return Stream.concat(Shell.INSTALLED.stream(), folders.stream());
        }
        if (capability instanceof Shell.Commands(var names, var folders)) {
            return Stream.concat(Shell.SHELLS.stream(), names.stream())
                    .flatMap(n -> folders.stream().map(f -> f.resolve(n)));
        }
        return Stream.empty();
    }

    private List<Missing> missing() {
        var missing = new ArrayList<Missing>();
        if (!facts.notifications()) {
            missing.add(
                    new Missing(
                            "notifications",
                            "calls cannot be held and judged",
                            "needs Linux 5.14 or newer with seccomp user notification, and no other"
                                    + " such sandbox around this one",
                            false));
        }
        if (facts.landlock() < 3) {
            missing.add(
                    new Missing(
                            "landlock",
                            "the kernel's own wall around files is not there",
                            "needs Linux 6.2 or newer with Landlock switched on"
                                    + " (`lsm=landlock,...` on the kernel's command line)",
                            false));
        } else if (facts.landlock() < 6) {
            missing.add(
                    new Missing(
                            "signals",
                            "processes outside can be sent signals",
                            "needs Linux 6.12 or newer (Landlock 6; here it is "
                                    + facts.landlock()
                                    + ")",
                            true));
        }
        ofOneCase().ifPresent(missing::add);
        return missing;
    }

    /// Rules that forbid something know one spelling of each name.
    private Optional<Missing> ofOneCase() {
        return readable.stream()
                .filter(this::forbidsBelow)
                .filter(facts.ofOneCase())
                .findFirst()
                .map(
                        p ->
                                new Missing(
                                        Missing.LETTERS,
                                        "in `"
                                                + Text.shown(p.toString())
                                                + "` names that differ in upper and lower case only are one"
                                                + " name, and rules that forbid something know one of them",
                                        "needs a folder on another file system",
                                        true));
    }

    private boolean forbidsBelow(FilePath tree) {
        var guards = policy.guards().stream().map(g -> new Reach(g, g.capability()));
        return Stream.concat(policy.reach().stream(), guards)
                .filter(r -> r.rule().effect() != Effect.ALLOW)
                .flatMap(
                        r ->
                                Stream.concat(
                                        forbidden(r.capability(), Right.READ),
                                        forbidden(r.capability(), Right.WRITE)))
                .anyMatch(p -> touch(p.prefix(), tree));
    }
}
