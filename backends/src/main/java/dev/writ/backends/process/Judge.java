// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFBLK;
import static dev.writ.kernel.FileCalls.S_IFCHR;
import static dev.writ.kernel.FileCalls.S_IFDIR;
import static dev.writ.kernel.FileCalls.S_IFMT;

import dev.writ.backends.program.Programs;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Reason;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.file.FileException;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Passage;
import dev.writ.core.policy.Policy;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/// Puts what a confined process wants to do to the broker.
final class Judge {
    /// Where tmpfile(3) makes files, whatever `TMPDIR` says.
    private static final Set<FilePath> SHARED =
            Set.of(FilePath.of("/tmp"), FilePath.of("/var/tmp"));

    /// Where the C library has shared memory and semaphores that have a name.
    private static final FilePath MEMORY = FilePath.of("/dev/shm");

    private final Policy policy;
    private final List<GuardedFolders> guarded;
    private final Broker broker;
    private final SessionId session;
    private final IntPredicate isMember;
    private final Terminals terminals;
    private final Programs programs;

    Judge(
            Policy policy,
            Broker broker,
            SessionId session,
            IntPredicate isMember,
            Terminals terminals,
            Programs programs) {
        this.policy = policy;
        this.guarded = policy.parts().stream().map(GuardedFolders::of).toList();
        this.broker = broker;
        this.session = session;
        this.isMember = isMember;
        this.terminals = terminals;
        this.programs = programs;
    }

    IntPredicate members() {
        return isMember;
    }

    /// Whether `path` lies in the folder that the session has to itself.
    boolean isOwn(FilePath path) {
        return policy.unguarded().filter(path::startsWith).isPresent();
    }

    /// The folder that the session has to itself, if `path` is where programs make files without a
    /// name that do not ask where they may, and it may not be written.
    Optional<FilePath> insteadOf(FilePath path) {
        return policy.unguarded()
                .filter(_ -> SHARED.contains(path) && !isPossible(new Action.WriteFile(path)));
    }

    /// The folder in which shared memory called `name` lies, if no rule speaks of where all
    /// programs of the machine have theirs.
    Optional<FilePath> ownMemory(String name) {
        var shared = MEMORY.resolve(name);
        return policy.unguarded()
                .filter(
                        _ ->
                                isUnmatched(new Action.WriteFile(shared))
                                        && isUnmatched(new Action.ReadFile(shared)));
    }

    /// What a connection to `host` may be used for.
    Passage passage(dev.writ.core.capability.Host host, int port) {
        return Passage.of(policy, host, port);
    }

    /// To connect to a socket at `path` that the session has made itself: as if it lay in the
    /// session's own folder, unless a rule speaks of where it lies.
    Action connectOwn(FilePath path) {
        var there = new Action.ConnectSocket(path);
        return policy.unguarded()
                .filter(_ -> isUnmatched(there))
                .map(own -> new Action.ConnectSocket(own.resolve(path.segments().getLast())))
                .orElse(there);
    }

    /// Whether no rule speaks of `action`.
    boolean isUnmatched(Action action) {
        return policy.decide(action).isUnmatched();
    }

    Verdict judge(Action action) {
        return broker.judge(new Request(session, action));
    }

    /// Whether `action` may happen.
    ///
    /// @throws NotNow if the operator has to be asked, and this worker cannot wait
    boolean permits(Worker worker, Action action) {
        var request = new Request(session, action);
        var verdict = broker.judgeNow(request).orElseGet(() -> ask(worker, request));
        if (verdict instanceof Verdict.Refused(var reason)) {
            worker.refusal = new FileException.Refusal(action, reason);
            return false;
        }
        return true;
    }

    private Verdict ask(Worker worker, Request request) {
        if (!worker.patient) {
            throw new NotNow();
        }
        var asking = new Request(session, request.action(), worker.asker);
        return Host.call("writ-asking", () -> broker.judge(asking)).join();
    }

    /// Whether what was permitted a while ago has to be judged again.
    boolean isOver() {
        return broker.isOver();
    }

    /// @throws Failed if it may not happen
    void require(Worker worker, Action action) {
        if (!permits(worker, action)) {
            throw new Failed(Errno.EACCES);
        }
    }

    /// Whether the object of a handle may be read or written, as wanted. It is the last object that
    /// the worker has looked at then.
    boolean permits(Worker worker, Walker.Found found, boolean read, boolean write) {
        return worker.files.look(found.handle()) >= 0 && permitsSeen(worker, found, read, write);
    }

    /// The same for what the worker has just looked at.
    boolean permitsSeen(Worker worker, Walker.Found found, boolean read, boolean write) {
        FileCalls files = worker.files;
        if (found.place().length == 0) {
            return false; // the kernel cannot say where it lies: too deep
        }
        if (!Places.isNamed(found.place(), files.links())) {
            // It was found through a descriptor that the sandbox has already.
            return found.holder() != 0;
        }
        if (isProcElsewhere(files, found)) {
            return false;
        }
        int type = files.mode() & S_IFMT;
        boolean device = type == S_IFCHR || type == S_IFBLK;
        if (device && terminals.contains(files)) {
            return permits(worker, new Action.OpenDevice(Terminals.OWN));
        }
        boolean removed = Places.looksRemoved(found.place());
        return permits(worker, path(found.place()), device, read, write)
                && (!removed
                        || permits(
                                worker,
                                path(Places.withoutMark(found.place())),
                                device,
                                read,
                                write));
    }

    /// Whether what was just looked at shows processes, and lies elsewhere than in `/proc`: there
    /// we are `self`, and no rule and no guard knows which names are whose. Somebody has mounted it
    /// a second time, perhaps in a root folder of its own.
    private static boolean isProcElsewhere(FileCalls files, Walker.Found found) {
        return files.isOnNoDisk()
                && !Places.isProc(found.place())
                && files.isInProc(found.handle());
    }

    private boolean permits(
            Worker worker, FilePath path, boolean device, boolean read, boolean write) {
        if (Places.isPrivateOfStranger(path, write)) {
            return false;
        }
        if (device) {
            return permits(worker, new Action.OpenDevice(path));
        }
        return (!read || permits(worker, new Action.ReadFile(path)))
                && (!write || permits(worker, new Action.WriteFile(path)));
    }

    /// What [#permits] would say, for a process that only asks: nothing happens, so nothing is
    /// recorded, and the operator is not asked.
    boolean wouldPermit(
            Worker worker, Walker.Found found, boolean read, boolean write, boolean start) {
        FileCalls files = worker.files;
        if (files.look(found.handle()) < 0) {
            return false;
        }
        if (!Places.isNamed(found.place(), files.links())) {
            return found.holder() != 0;
        }
        if (isProcElsewhere(files, found)) {
            return false;
        }
        int type = files.mode() & S_IFMT;
        var path = path(found.place());
        if (type == S_IFCHR || type == S_IFBLK) {
            return isPossible(
                    new Action.OpenDevice(terminals.contains(files) ? Terminals.OWN : path));
        }
        return (!read || isPossible(new Action.ReadFile(path)))
                && (!write || isPossible(new Action.WriteFile(path)))
                && (!start || type == S_IFDIR || isPossible(start(path)));
    }

    /// Whether `action` might be permitted: nothing happens, and nothing is recorded.
    boolean isPossible(Action action) {
        return isPossible(policy.decide(action));
    }

    private static boolean isPossible(Decision decision) {
        // A switch over types would have to be linked at each start.
        if (decision instanceof Decision.Beyond(_, var by)) {
            return isPossible(by);
        }
        if (decision instanceof Decision.Unmatched unmatched) {
            // A program may be startable with arguments only.
            return unmatched.nearest() instanceof Decision.Nearest.Found(_, var part)
                    && part.equals("arguments");
        }
        return !(decision instanceof Decision.Deny);
    }

    /// Takes notice that the file at `place` is handed over to be read.
    void opened(byte[] place) {
        programs.opened(path(place));
    }

    FilePath path(byte[] place) {
        return Places.path(place, isMember);
    }

    /// Whether an object may get the name `to` instead of, or besides, `from`: under it, nothing
    /// may become possible that was not possible before.
    boolean keepsItsRights(FilePath from, FilePath to) {
        return doesNotGain(new Action.ReadFile(from), new Action.ReadFile(to))
                && doesNotGain(new Action.ConnectSocket(from), new Action.ConnectSocket(to))
                && doesNotGain(new Action.OpenDevice(from), new Action.OpenDevice(to))
                && !(isAllowed(start(to)) && isForbidden(start(from)));
    }

    private boolean doesNotGain(Action from, Action to) {
        return rank(policy.decide(to)) <= rank(policy.decide(from));
    }

    private static int rank(Decision decision) {
        if (decision instanceof Decision.Deny) {
            return 0;
        }
        return decision instanceof Decision.Ask ? 1 : 2;
    }

    /// @throws Failed if something that is no folder must not get the name `path`
    void requireNoFolder(Worker worker, FilePath path) {
        if (guarded.stream().noneMatch(g -> g.includes(path))) {
            return;
        }
        var action = new Action.WriteFile(path);
        var hint = "add `" + Text.shown(action.text(policy.scope())) + "` to `allow`";
        var why = "only a folder may be there, because of what is guarded below it";
        var reason = new Reason(Reason.DENIED, why, hint);
        worker.refusal = new FileException.Refusal(action, reason);
        broker.refused(new Request(session, action), new Reason(Reason.DENIED, reason.line(), ""));
        throw new Failed(Errno.EACCES);
    }

    /// Whether everything below a folder is decided alike under both names.
    boolean treatsAlike(FilePath from, FilePath to) {
        return policy.treatsAlike(from, to);
    }

    /// Whether `program` might be started, with whatever arguments.
    boolean mayStart(FilePath program) {
        return isPossible(start(program));
    }

    /// Whether the file at `path` might be written.
    boolean mayWrite(FilePath path) {
        return isPossible(new Action.WriteFile(path));
    }

    /// Where the operator's programs lie, in the order in which they are looked for.
    List<FilePath> folders() {
        return policy.scope().programs();
    }

    /// Has the start of `program` judged; what to say if it is refused.
    Optional<String> refusal(FilePath program) {
        var action = start(program);
        var verdict = broker.judgeNow(new Request(session, action)).orElse(null);
        return verdict instanceof Verdict.Refused(var reason)
                ? Optional.of(
                        ExecStop.Ruling.refused(Text.shown(action.text(policy.scope())), reason)
                                .line())
                : Optional.empty();
    }

    private static Action start(FilePath program) {
        return new Action.StartProgram(program, List.of());
    }

    /// Whether `action` is permitted without a question: nothing happens, and nothing is recorded.
    boolean isAllowed(Action action) {
        return policy.decide(action) instanceof Decision.Allow;
    }

    private boolean isForbidden(Action action) {
        var decision = policy.decide(action);
        return decision.isDenied() || decision instanceof Decision.Ask;
    }
}
