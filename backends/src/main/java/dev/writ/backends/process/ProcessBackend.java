// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.backends.process.Plan.Missing;
import dev.writ.backends.program.Programs;
import dev.writ.core.audit.Posture;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.capability.Text;
import dev.writ.core.file.FileAccess;
import dev.writ.core.policy.Passage;
import dev.writ.core.policy.Policy;
import dev.writ.core.sandbox.Allowance;
import dev.writ.core.sandbox.Backend;
import dev.writ.core.sandbox.NotStartedException;
import dev.writ.core.sandbox.Proxy;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxException;
import dev.writ.core.sandbox.SandboxSpec;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.kernel.Arch;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.KernelException;
import dev.writ.kernel.Landlock;
import dev.writ.kernel.Processors;
import dev.writ.kernel.Spawn;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Confines by the kernel's own means for unprivileged processes: Landlock, seccomp with
/// notifications, and tracing. Needs no root, no helper program, no namespace.
public final class ProcessBackend implements Backend {
    private static final String NESTED =
            "; this is inside of such a sandbox already, and a process can be in one only:"
                    + " start it outside";

    private static final String UNTRACEABLE =
            "to follow its processes, `kernel.yama.ptrace_scope` must be below 3, and a container"
                    + " must allow ptrace; ptrace(PTRACE_SEIZE)";

    /// Filters as the kernel has them. There are few, and they take longer to make than to use.
    private static final Map<Set<Surface.Brokered>, byte[]> FILTERS = new ConcurrentHashMap<>();

    private final Plans plans = new Plans();
    private final OwnSockets sockets = new OwnSockets();

    public ProcessBackend() {}

    @Override
    public String name() {
        return "process";
    }

    /// Makes ready, on another thread, what every start needs and no policy changes, so that
    /// somebody who is about to start something can load the policy meanwhile.
    ///
    /// @param next what that thread does afterwards
    public static void prepare(Runnable next) {
        Thread.ofPlatform()
                .daemon()
                .name("writ-prepare")
                .start(
                        () -> {
                            makeReady();
                            next.run();
                        });
    }

    private static void makeReady() {
        try (var kernel = new Kernel()) {
            facts(kernel);
            var judged =
                    EnumSet.of(
                            Surface.Brokered.READS,
                            Surface.Brokered.WRITES,
                            Surface.Brokered.STARTS);
            filter(judged);
            filter(judged);
            Host.prepare();
            Crew.prepare();
        }
    }

    /// How `policy` would be enforced here.
    public Plan plan(Policy policy) {
        try (var kernel = new Kernel()) {
            var bounds = Bounds.of(policy, MachineMemory.now(kernel).available());
            return Planner.plan(policy, facts(kernel), Passage.looksIntoTls(policy))
                    .limitedBy(bounds.planned());
        }
    }

    @Override
    public Posture posture(Policy policy, Set<String> acceptedWeaker) {
        try (var kernel = new Kernel()) {
            var facts = facts(kernel);
            var plan = plans.plan(policy, facts, Passage.looksIntoTls(policy));
            return Postures.of(plan, facts, policy, acceptedWeaker);
        }
    }

    @Override
    public Sandbox start(SandboxSpec spec, Broker broker) {
        try (var kernel = new Kernel()) {
            var facts = facts(kernel);
            boolean replaced = spec.proxy().filter(Proxy::replacesFiles).isPresent();
            var plan = plans.plan(spec.policy(), facts, replaced);
            refuseWeaker(plan.missing(), spec.acceptedWeaker());
            int ruleset = Confinement.ruleset(kernel, plan, facts.landlock());
            try {
                return start(kernel, spec, broker, plan, ruleset);
            } finally {
                new FileCalls(kernel).close(ruleset);
            }
        } catch (KernelException e) {
            throw failed(spec, broker, e);
        }
    }

    private static SandboxException failed(SandboxSpec spec, Broker broker, KernelException e) {
        var program = "`" + Text.shown(spec.program().toString()) + "`";
        if (e.call().equals(Spawn.CALL) && e.errno() == Errno.EACCES) {
            return new NotStartedException(
                    RefusedInterpreter.of(spec, broker).orElse("may not be started: " + program),
                    126);
        }
        if (e.call().equals(Spawn.CALL) && e.errno() == Errno.ENOEXEC) {
            return new NotStartedException(
                    "not a program: " + program + "; a script begins with a line like `#!/bin/sh`",
                    126);
        }
        if (e.call().equals(Spawn.CALL) && e.errno() == Errno.ENOENT) {
            return new NotStartedException(
                    "the interpreter of " + program + ", or the folder to start in, is not there",
                    127);
        }
        return new SandboxException(
                "the sandbox could not be made: "
                        + e.getMessage()
                        + (e.errno() == Errno.EBUSY ? NESTED : ""),
                e);
    }

    @Override
    public Allowance allowance(Policy policy) {
        return new Account(policy);
    }

    private static Account account(Allowance allowance) {
        if (allowance instanceof Account account) {
            return account;
        }
        throw new IllegalArgumentException("an allowance of another backend");
    }

    @Override
    public FileAccess files(
            SessionId session,
            Policy policy,
            Broker broker,
            Allowance allowance,
            Set<String> acceptedWeaker) {
        try (var kernel = new Kernel()) {
            var gaps = plans.plan(policy, facts(kernel), false).missing().stream();
            refuseWeaker(gaps.filter(Missing::ofFiles).toList(), acceptedWeaker);
        }
        // No process is asked for, so neither is there memory to bound.
        var usage = new Usage(Bounds.stated(policy), account(allowance), session, broker);
        var judge =
                new Judge(
                        policy, broker, session, _ -> false, new Terminals(), Programs.of(policy));
        return new HostFiles(judge, usage, new Errand());
    }

    private static void refuseWeaker(List<Missing> missing, Set<String> accepted) {
        for (var gap : missing) {
            if (!gap.acceptable() || !accepted.contains(gap.name())) {
                throw new SandboxException(
                        "cannot be guaranteed on this machine: "
                                + gap.what()
                                + "; "
                                + gap.remedy()
                                + (gap.acceptable()
                                        ? ", or `--accept-weaker " + gap.name() + "`"
                                        : ""));
            }
        }
    }

    private Sandbox start(Kernel kernel, SandboxSpec spec, Broker broker, Plan plan, int ruleset) {
        var memory = MachineMemory.now(kernel);
        var account = account(spec.allowance());
        var bounds = account.bounds(memory);
        var usage = new Usage(bounds, account, spec.session(), broker);
        boolean counted = bounds.has(Resource.OUTPUT);
        boolean own = spec.streams() == Streams.INHERITED;
        Optional<int[]> inherited =
                own && !counted ? new Inherited(kernel).all() : Optional.empty();
        var relay = own && inherited.isEmpty() ? Relay.make(kernel) : Relay.none();
        var made = pipes(kernel, spec, inherited.orElseGet(relay::theirs));
        var pipes = counted ? made.countedBy(usage::pass) : made;
        var tree = new Tree(pipes.terminal(), input(kernel, spec, pipes), sockets, spec.session());
        tree.terminals.addGiven(kernel, tree.terminal);
        var programs = Programs.of(spec.policy());
        var execStop = new ExecStop(spec.policy(), broker, spec.session(), tree, programs);
        var judge =
                new Judge(
                        spec.policy(),
                        broker,
                        spec.session(),
                        tree.members::contains,
                        tree.terminals,
                        programs);
        var wayOut = spec.proxy().map(proxy -> new WayOut(proxy, judge));
        var supervisor = new Supervisor(judge, tree, usage, wayOut, plan.startable());
        var tracer = new Tracer(execStop, tree, usage, plan.holdsStarts(), supervisor::start);
        usage.whenOver(tracer::stop);
        var run = new Run(usage, tree);
        boolean started = false;
        try {
            account.enter(kernel, run);
            Confinement.allowTerminal(kernel, ruleset, pipes.terminal(), Landlock.abi(kernel));
            // ORDER: these threads are had from here, where nothing is confined, and before there
            // is anything to answer.
            Host.prepare();
            spawn(kernel, program(spec, pipes, ruleset, plan), tracer);
            account.watch();
            var _ = tracer.result().whenComplete((_, _) -> account.leave(run));
            var _ = tracer.result().whenComplete((_, _) -> sockets.forget(tree));
            var _ = tracer.result().whenComplete((_, _) -> wayOut.ifPresent(WayOut::close));
            relay.start(usage::pass);
            started = true;
            return new ProcessSandbox(tracer, pipes, relay, usage);
        } catch (KernelException e) {
            if (tracer.failure() != 0) {
                throw new KernelException(UNTRACEABLE, tracer.failure());
            }
            throw e;
        } finally {
            pipes.closeTheirs(kernel);
            if (!started) {
                account.leave(run);
                tracer.stop();
                tracer.giveUp();
                wayOut.ifPresent(WayOut::close);
                pipes.close();
                relay.close(new FileCalls(kernel));
            }
        }
    }

    /// The thread that starts the program is born on the processor of this one, and so is the
    /// program: until it begins, four tasks take turns.
    private static void spawn(Kernel kernel, Spawn.Program program, Tracer tracer) {
        var processors = new Processors(kernel);
        var all = processors.of(0);
        var here = processors.here(all);
        tracer.prepare(processors, here, all);
        processors.use(0, here);
        try {
            Spawn.start(program, tracer::take);
        } finally {
            processors.use(0, all);
        }
    }

    private static FirstInput input(Kernel kernel, SandboxSpec spec, Pipes pipes) {
        return spec.streams() == Streams.PIPED
                ? FirstInput.of(new FileCalls(kernel), pipes.theirs()[0], spec.input())
                : new FirstInput(0, 0, spec.input());
    }

    private static Pipes pipes(Kernel kernel, SandboxSpec spec, int[] inherited) {
        return switch (spec.streams()) {
            case INHERITED -> Pipes.none(inherited);
            case PIPED -> Pipes.make(kernel, true);
            case OUTPUT_PIPED -> Pipes.make(kernel, false);
            case TERMINAL -> Pipes.terminal(kernel);
        };
    }

    private static Spawn.Program program(SandboxSpec spec, Pipes pipes, int ruleset, Plan plan) {
        Set<Surface.Brokered> brokered = EnumSet.noneOf(Surface.Brokered.class);
        if (plan.reads().brokered()) {
            brokered.add(Surface.Brokered.READS);
        }
        if (plan.writes().brokered()) {
            brokered.add(Surface.Brokered.WRITES);
        }
        if (plan.holdsStarts()) {
            brokered.add(Surface.Brokered.STARTS);
        }
        if (spec.proxy().isPresent()) {
            brokered.add(Surface.Brokered.DATAGRAMS);
        }
        return new Spawn.Program(
                Walker.bytes(spec.program().toString()),
                spec.command().stream().map(Walker::bytes).toList(),
                environment(spec.environment()),
                Walker.bytes(spec.folder().toString()),
                pipes.theirs(),
                Walker.bytes(pipes.terminal()),
                ruleset,
                true,
                filter(brokered));
    }

    private static byte[] filter(Set<Surface.Brokered> brokered) {
        return FILTERS.computeIfAbsent(
                brokered, some -> Surface.program(Arch.here(), some).bytes());
    }

    private static List<byte[]> environment(Map<String, String> variables) {
        var all = new ArrayList<byte[]>();
        variables.forEach((name, value) -> all.add(Walker.bytes(name + "=" + value)));
        return all;
    }

    private static Facts facts(Kernel kernel) {
        var files = new FileCalls(kernel);
        return new Facts(
                Landlock.abi(kernel),
                Spawn.hasNotifications(kernel),
                path -> kind(files, path),
                new Letters(files)::areOne);
    }

    private static Facts.Kind kind(FileCalls files, FilePath path) {
        if (files.lookAt(Walker.bytes(path.toString())) < 0) {
            return Facts.Kind.MISSING;
        }
        return switch (files.mode() & 0170000) {
            case 0040000 -> Facts.Kind.FOLDER;
            case 0020000, 0060000 -> Facts.Kind.DEVICE;
            default -> Facts.Kind.FILE;
        };
    }
}
