// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Capability;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.kernel.FileCalls;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// How much memory a session has: what its processes have for themselves, what they share, and what
/// lies in files that are memory, whether anybody has them open or not.
///
/// To know that exactly takes long. Mostly it is enough to know that it cannot be too much: each
/// process as if it shared with nobody, and all that the machine has got in shared memory since.
final class MemoryUse {
    private final Policy policy;
    private final long most;
    private long leastShared;

    /// @param sharedBefore the machine's shared memory when the session began
    MemoryUse(Policy policy, long most, long sharedBefore) {
        this.policy = policy;
        this.most = most;
        this.leastShared = sharedBefore;
    }

    /// How much `members` have; more than that, if even that is within bounds.
    long look(Worker worker, List<Integer> members) {
        var bounds = new HashMap<Integer, Long>();
        long bound = 0;
        for (int task : members) {
            if (worker.clock.ofProcess(task) >= 0) {
                int eye = task;
                long memory = Accounts.memory(worker.files, task);
                if (memory == 0) {
                    eye = eye(worker, task);
                    memory = Accounts.memory(worker.files, eye);
                }
                bounds.put(eye, memory);
                bound += memory;
            }
        }
        long shared = Accounts.machine(worker.files, "Shmem");
        // What others give back must not hide what the session has got meanwhile.
        leastShared = Math.min(leastShared, shared);
        long growth = shared - leastShared;
        return bound + growth <= most ? bound + growth : exactly(worker, members, bounds, growth);
    }

    /// A task of `process` that shows its memory, where its first has ended before others.
    private static int eye(Worker worker, int process) {
        try (var tasks = Files.newDirectoryStream(Path.of("/proc/" + process + "/task"))) {
            for (var entry : tasks) {
                int task = Integer.parseInt(entry.getFileName().toString());
                if (!Tasks.isUnburied(worker.kernel, worker.files, task)) {
                    return task;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // It is gone altogether.
        }
        return process;
    }

    /// The most that processes of `members` can have, as if they shared with nobody.
    static long bound(Worker worker, Set<Integer> members) {
        long total = 0;
        for (int task : members) {
            total += worker.clock.ofProcess(task) >= 0 ? Accounts.memory(worker.files, task) : 0;
        }
        return total;
    }

    private long exactly(
            Worker worker, List<Integer> members, Map<Integer, Long> bounds, long growth) {
        long own = 0;
        long shared = 0;
        for (int process : distinct(worker, bounds)) {
            var share = Accounts.share(worker.files, process);
            own += share.own();
            shared += share.shared();
        }
        // Of files in memory one cannot say how much of them is mapped as well. Together they are
        // no more than what the machine has got since.
        long files = growth == 0 ? 0 : new InMemory(worker).total(members, growth);
        return own + Math.max(shared, Math.min(shared + files, growth));
    }

    /// Those that do not have all their memory in common with another one, as between vfork and
    /// exec.
    private static List<Integer> distinct(Worker worker, Map<Integer, Long> bounds) {
        var alike = new HashMap<Long, List<Integer>>();
        bounds.forEach(
                (process, bound) -> {
                    var others = alike.computeIfAbsent(bound, _ -> new ArrayList<>());
                    if (others.stream().noneMatch(o -> worker.memory.isCommon(o, process))) {
                        others.add(process);
                    }
                });
        return alike.values().stream().flatMap(List::stream).toList();
    }

    /// Files that are memory: those that somebody has open, and those in folders that may be
    /// written to.
    private final class InMemory {
        private static final int S_IFMT = FileCalls.S_IFMT;
        private static final int S_IFSOCK = FileCalls.S_IFSOCK;

        private record Id(long device, long inode) {}

        private final Worker worker;
        private final Set<Id> seen = new HashSet<>();
        private long total;
        private boolean uncertain;

        InMemory(Worker worker) {
            this.worker = worker;
        }

        /// @param growth what it is if one cannot say
        long total(List<Integer> members, long growth) {
            members.forEach(this::addOpen);
            policy.reach().stream()
                    .filter(r -> r.rule().effect() == Effect.ALLOW)
                    .map(Policy.Reach::capability)
                    .filter(Capability.Write.class::isInstance)
                    .map(c -> ((Capability.Write) c).path().prefix().toString())
                    .distinct()
                    .filter(folder -> worker.files.isInMemory(Walker.bytes(folder)))
                    .forEach(folder -> addBelow(Path.of(folder)));
            return uncertain ? growth : total;
        }

        private void addOpen(int task) {
            var folder = Path.of("/proc/" + task + "/fd");
            try (var descriptors = Files.newDirectoryStream(folder)) {
                for (var descriptor : descriptors) {
                    add(descriptor.toString());
                    if ((worker.files.mode() & S_IFMT) == S_IFSOCK && holdsFiles(descriptor)) {
                        uncertain = true;
                    }
                }
            } catch (IOException | DirectoryIteratorException e) {
                uncertain |= Files.exists(folder);
            }
        }

        /// Whether files are on their way through a socket, where nobody can look at them.
        private boolean holdsFiles(Path descriptor) {
            var file = descriptor.resolve("../../fdinfo").resolve(descriptor.getFileName());
            return Accounts.number(
                            Accounts.read(worker.files, file.normalize().toString()),
                            "\nscm_fds:",
                            1)
                    > 0;
        }

        private void add(String file) {
            byte[] name = Walker.bytes(file);
            if (worker.files.lookAt(name) == 0
                    && seen.add(new Id(worker.files.device(), worker.files.inode()))
                    && worker.files.isInMemory(name)) {
                total += worker.files.room();
            }
        }

        private void addBelow(Path start) {
            var folders = new ArrayList<Path>();
            folders.add(start);
            while (!folders.isEmpty()) {
                try (var entries = Files.newDirectoryStream(folders.removeLast())) {
                    for (var entry : entries) {
                        if (Files.isSymbolicLink(entry)) {
                            continue;
                        }
                        add(entry.toString());
                        if (Files.isDirectory(entry)) {
                            folders.add(entry);
                        }
                    }
                } catch (IOException | DirectoryIteratorException e) {
                    uncertain = true; // too deep, or not to be read
                }
            }
        }
    }
}
