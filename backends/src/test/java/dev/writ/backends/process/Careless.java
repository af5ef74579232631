// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.kernel.Arch;
import dev.writ.kernel.Call;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Filter;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Processors;
import dev.writ.kernel.Processors.Some;
import dev.writ.kernel.Spawn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

/// A sandbox with the mistake that the real one must not make: it looks at what a call refers to,
/// finds it harmless, and lets the kernel look again. With it a race can be won, so a test that
/// tries to win one can fail.
final class Careless {
    /// Which arguments of a call are paths.
    private static final Map<Call, int[]> PATHS =
            new EnumMap<>(
                    Map.ofEntries(
                            Map.entry(Call.OPEN, new int[] {0}),
                            Map.entry(Call.OPENAT, new int[] {1}),
                            Map.entry(Call.UNLINK, new int[] {0}),
                            Map.entry(Call.UNLINKAT, new int[] {1}),
                            Map.entry(Call.RENAME, new int[] {0, 1}),
                            Map.entry(Call.RENAMEAT, new int[] {1, 3}),
                            Map.entry(Call.RENAMEAT2, new int[] {1, 3}),
                            Map.entry(Call.CHMOD, new int[] {0}),
                            Map.entry(Call.FCHMODAT, new int[] {1}),
                            Map.entry(Call.TRUNCATE, new int[] {0}),
                            Map.entry(Call.LINK, new int[] {0}),
                            Map.entry(Call.LINKAT, new int[] {1}),
                            Map.entry(Call.EXECVE, new int[] {0})));

    private final Trial trial;

    private Careless(Trial trial) {
        this.trial = trial;
    }

    static Tree tree() {
        return new Tree("", FirstInput.NONE, new OwnSockets(), new SessionId("test"));
    }

    /// @param ruleset what the kernel grants by itself; negative if it grants everything
    static Sandbox start(Trial trial, ExecStop execStop, int ruleset, String... command) {
        var careless = new Careless(trial);
        var policy = trial.policy();
        var usage =
                new Usage(
                        Bounds.of(policy, Long.MAX_VALUE),
                        new Account(policy),
                        new SessionId("test"),
                        new Broker(
                                policy,
                                Approver.nobody(),
                                new InMemoryAuditLog(),
                                InstantSource.system()));
        var tracer = new Tracer(execStop, tree(), usage, false, careless::startSupervising);
        try (var kernel = new Kernel()) {
            var pipes = Pipes.make(kernel, true);
            var rules = new EnumMap<>(Surface.rules(EnumSet.allOf(Surface.Brokered.class)));
            rules.put(Call.EXECVE, new Filter.Rule(List.of(), Filter.NOTIFY));
            tracer.prepare(new Processors(kernel), Some.UNKNOWN, Some.UNKNOWN);
            Spawn.start(
                    new Spawn.Program(
                            Walker.bytes(trial.folder.resolve(command[0]).toString()),
                            List.of(command).stream().map(Walker::bytes).toList(),
                            List.of(),
                            Walker.bytes(trial.folder.toString()),
                            pipes.theirs(),
                            new byte[0],
                            ruleset,
                            true,
                            Filter.compile(Arch.here(), rules, Surface.OTHERWISE).bytes()),
                    tracer::take);
            pipes.closeTheirs(kernel);
            return new ProcessSandbox(tracer, pipes, Relay.none(), usage);
        }
    }

    private void startSupervising(Some everywhere, int listener) {
        Crew.reserve().give(worker -> supervise(worker, listener));
    }

    private boolean supervise(Worker worker, int listener) {
        worker.notifications.listenTo(listener);
        while (true) {
            switch (worker.notifications.receive()) {
                case A_CALL -> answer(worker, worker.notifications.notification());
                case NOTHING -> {}
                case NOBODY_LEFT -> {
                    worker.files.close(listener);
                    return true;
                }
            }
        }
    }

    private void answer(Worker worker, Notification call) {
        try {
            if (isHarmless(worker, call)) {
                worker.notifications.letPass(call.id());
            } else {
                worker.answer(call, -Errno.EACCES);
            }
        } catch (IOException | Failed e) {
            worker.answer(call, -Errno.ENOENT);
        }
    }

    private boolean isHarmless(Worker worker, Notification call) throws IOException {
        for (var text : texts(worker, call)) {
            var path = trial.folder.resolve(text);
            var real = path.toFile().exists() ? path.toRealPath() : path;
            if (isForbidden(trial.folder.relativize(real))) {
                return false;
            }
        }
        if (call.number() == Call.CONNECT.number()) {
            // The last byte of an address, or what makes the one name another.
            byte[] address = worker.memory.bytes(call.task(), call.argument(1), 16);
            return address == null || (address[7] != 2 && address[9] != 'b');
        }
        if (call.number() == Call.OPENAT2.number()) {
            long[] how = worker.memory.longs(call.task(), call.argument(2), 3);
            return how == null || (how[0] & FileCalls.O_ACCMODE) == 0;
        }
        return true;
    }

    private static boolean isForbidden(Path path) {
        return path.endsWith("b") || path.startsWith("db") || path.endsWith("tool-b");
    }

    private static List<String> texts(Worker worker, Notification call) {
        var texts = new ArrayList<String>();
        PATHS.forEach(
                (which, arguments) -> {
                    for (int i = 0; which.number() == call.number() && i < arguments.length; i++) {
                        texts.add(text(worker, call.task(), call.argument(arguments[i])));
                    }
                });
        if (call.number() == Call.EXECVE.number()) {
            long[] words = worker.memory.longs(call.task(), call.argument(1), 3);
            texts.add(words == null ? "" : text(worker, call.task(), words[2]));
        }
        return texts;
    }

    private static String text(Worker worker, int task, long address) {
        return new String(worker.text(task, address), java.nio.charset.StandardCharsets.UTF_8);
    }
}
