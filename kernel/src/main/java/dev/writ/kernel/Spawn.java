// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/// Starts a program that is confined from its first instruction, although this process never is.
///
/// Landlock, seccomp filters and no-new-privileges belong to a thread and are inherited by what it
/// starts. So a fresh thread confines itself, spawns the program, and ends.
public final class Spawn {
    private static final int GET_NOTIF_SIZES = 3;
    private static final long GLANCE = 100_000_000; // nanoseconds

    // The largest that any C library has for posix_spawnattr_t, posix_spawn_file_actions_t,
    // sigset_t
    private static final int ATTRIBUTES = 512;
    private static final int ACTIONS = 512;
    private static final int SIGNALS = 128;
    private static final int FLAGS = 4 | 8 | 0x80; // signals to default, mask empty, own session

    /// What a new process that has a gate waits in before it becomes the program: a call that
    /// nobody makes for its own sake.
    public static final Call GATE = Call.FCHDIR;

    /// The argument of the call.
    public static final int GATE_DESCRIPTOR = 2;

    /// What fails if the program itself cannot be started.
    public static final String CALL = "posix_spawn";

    private static final MemorySegment POSIX_SPAWN = Kernel.function(CALL);

    /// What to start.
    ///
    /// @param folder the working directory
    /// @param stdio the descriptors that become 0, 1 and 2; no other one is passed on
    /// @param terminal the path of a terminal that becomes all three instead, and its own; or empty
    /// @param ruleset a Landlock ruleset, or -1 for none
    /// @param gate whether it waits at the [#GATE] for the answer 0, which the filter must hold
    /// @param filter a seccomp filter as the kernel has it, 8 bytes an instruction; it must allow
    /// what a thread needs to wait and to end, and `landlock_restrict_self`
    public record Program(
            byte[] file,
            List<byte[]> arguments,
            List<byte[]> environment,
            byte[] folder,
            int[] stdio,
            byte[] terminal,
            int ruleset,
            boolean gate,
            byte[] filter) {}

    private final Program program;
    private final Prepared call;
    private final IntConsumer takeListener;
    private final Thread caller = Thread.currentThread();
    private volatile boolean done;
    private long result;
    private String step = "";

    private Spawn(Program program, Prepared call, IntConsumer takeListener) {
        this.program = program;
        this.call = call;
        this.takeListener = takeListener;
    }

    /// Whether calls of what is started can be held and answered: not where somebody does that with
    /// the calls of this process.
    public static boolean hasNotifications(Kernel kernel) {
        return kernel.call(Call.SECCOMP.number(), GET_NOTIF_SIZES, 0, kernel.memory(8).address())
                        >= 0
                && !Starter.isHeld(kernel);
    }

    /// Starts `program` and gives its process number.
    ///
    /// @param takeListener is given the notification listener, on the confined thread: it must not
    /// load classes, start threads or wait. Somebody must then answer at once, because the new
    /// process waits for its first answer before this returns.
    /// @throws KernelException if it could not be started
    public static int start(Program program, IntConsumer takeListener) {
        // The other thread gets addresses only, and this one waits for it: no need for memory that
        // several threads may touch, which costs a round through all of them to free.
        try (var arena = Arena.ofConfined()) {
            var spawn = new Spawn(program, prepare(program, arena), takeListener);
            spawn.await(Starter.start(program.filter(), spawn));
            destroy(spawn.call.actions());
            if (spawn.result < 0) {
                throw new KernelException(spawn.step, (int) -spawn.result);
            }
            return spawn.call.pid().get(JAVA_INT, 0);
        }
    }

    private void await(Starter starter) {
        boolean interrupted = false;
        while (!done) {
            boolean ended = starter.hasEnded();
            if (ended && !done) {
                step = "the thread that starts it";
                result = -Errno.EAGAIN;
                break;
            }
            LockSupport.parkNanos(this, GLANCE);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// The arguments of the calls to come.
    private record Prepared(
            MemorySegment pid,
            MemorySegment file,
            MemorySegment actions,
            MemorySegment attributes,
            MemorySegment arguments,
            MemorySegment environment) {}

    private static Prepared prepare(Program program, Arena arena) {
        return new Prepared(
                arena.allocate(JAVA_INT),
                text(arena, program.file()),
                actions(program, arena),
                attributes(arena),
                texts(arena, program.arguments()),
                texts(arena, program.environment()));
    }

    private static MemorySegment attributes(Arena arena) {
        var attributes = arena.allocate(ATTRIBUTES, 16);
        var all = arena.allocate(SIGNALS, 8).fill((byte) 0xff);
        var none = arena.allocate(SIGNALS, 8);
        try (var kernel = new Kernel()) {
            set(kernel, "posix_spawnattr_init", attributes, 0, 0);
            set(kernel, "posix_spawnattr_setsigdefault", attributes, all.address(), 0);
            set(kernel, "posix_spawnattr_setsigmask", attributes, none.address(), 0);
            set(kernel, "posix_spawnattr_setflags", attributes, FLAGS, 0);
        }
        return attributes;
    }

    private static MemorySegment actions(Program program, Arena arena) {
        var actions = arena.allocate(ACTIONS, 16);
        var folder = text(arena, program.folder());
        try (var kernel = new Kernel()) {
            set(kernel, "posix_spawn_file_actions_init", actions, 0, 0);
            set(kernel, "posix_spawn_file_actions_addchdir_np", actions, folder.address(), 0);
            for (int i = 0; i < program.stdio().length; i++) {
                set(kernel, "posix_spawn_file_actions_adddup2", actions, program.stdio()[i], i);
            }
            // ORDER: when it waits, it holds nothing of this process: with the listener in its own
            // hands it would wait for ever if this process were killed.
            set(kernel, "posix_spawn_file_actions_addclosefrom_np", actions, 3, 0);
            if (program.gate()) {
                set(kernel, "posix_spawn_file_actions_addfchdir_np", actions, GATE_DESCRIPTOR, 0);
            }
            if (program.terminal().length > 0) {
                // The first terminal that the leader of a session opens becomes its own.
                var path = text(arena, program.terminal());
                open(kernel, actions, path);
                set(kernel, "posix_spawn_file_actions_adddup2", actions, 0, 1);
                set(kernel, "posix_spawn_file_actions_adddup2", actions, 0, 2);
            }
        }
        return actions;
    }

    private static void destroy(MemorySegment actions) {
        try (var kernel = new Kernel()) {
            set(kernel, "posix_spawn_file_actions_destroy", actions, 0, 0);
        }
    }

    private static void open(Kernel kernel, MemorySegment actions, MemorySegment path) {
        var function = Kernel.function("posix_spawn_file_actions_addopen");
        int error =
                kernel.invoke(
                        function, actions.address(), 0, path.address(), FileCalls.O_RDWR, 0, 0);
        if (error != 0) {
            throw new KernelException("posix_spawn_file_actions_addopen", error);
        }
    }

    private static void set(Kernel kernel, String function, MemorySegment what, long a, long b) {
        int error = kernel.invoke(Kernel.function(function), what.address(), a, b, 0, 0, 0);
        if (error != 0) {
            throw new KernelException(function, error);
        }
    }

    private static MemorySegment text(Arena arena, byte[] text) {
        var memory = arena.allocate(text.length + 1L);
        MemorySegment.copy(text, 0, memory, JAVA_BYTE, 0, text.length);
        return memory;
    }

    private static MemorySegment texts(Arena arena, List<byte[]> texts) {
        var array = arena.allocate(8L * (texts.size() + 1), 8);
        for (int i = 0; i < texts.size(); i++) {
            array.setAtIndex(JAVA_LONG, i, text(arena, texts.get(i)).address());
        }
        return array;
    }

    /// What is left to do for the confined thread. Here it can still open what this process can; at
    /// the end it has no right but what the program is to have.
    ///
    /// @param listener the listener of its filter, or why it has none
    void run(Kernel kernel, String lastStep, long listener) {
        try {
            step = lastStep;
            result = listener;
            if (result >= 0) {
                step = "landlock_restrict_self";
                result = program.ruleset() < 0 ? 0 : Landlock.restrict(kernel, program.ruleset());
                if (result < 0) {
                    kernel.call(Call.CLOSE.number(), listener);
                }
            }
            if (result >= 0) {
                takeListener.accept((int) listener);
                step = CALL;
                result = -spawn(kernel, call);
            }
        } finally {
            done = true;
            LockSupport.unpark(caller);
        }
    }

    private static int spawn(Kernel kernel, Prepared call) {
        return kernel.invoke(
                POSIX_SPAWN,
                call.pid().address(),
                call.file().address(),
                call.actions().address(),
                call.attributes().address(),
                call.arguments().address(),
                call.environment().address());
    }
}
