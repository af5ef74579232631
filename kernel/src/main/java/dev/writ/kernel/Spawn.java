// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntConsumer;

/// Starts a program that is confined from its first instruction, although this process never is.
///
/// Landlock, seccomp filters and no-new-privileges belong to a thread and are inherited by what it
/// starts. So a fresh thread confines itself, spawns the program, and ends.
public final class Spawn {
    private static final int SECCOMP_SET_MODE_FILTER = 1;
    private static final int GET_NOTIF_SIZES = 3;
    private static final int NEW_LISTENER = 8;
    private static final int WAIT_KILLABLE_RECV = 32;

    // The largest that any C library has for posix_spawnattr_t, posix_spawn_file_actions_t,
    // sigset_t
    private static final int ATTRIBUTES = 512;
    private static final int ACTIONS = 512;
    private static final int SIGNALS = 128;
    private static final int FLAGS = 4 | 8 | 0x80; // signals to default, mask empty, own session

    private static final MemorySegment POSIX_SPAWN = Kernel.function("posix_spawn");

    /// What to start.
    ///
    /// @param folder the working directory
    /// @param stdio the descriptors that become 0, 1 and 2; no other one is passed on
    /// @param ruleset a Landlock ruleset, or -1 for none
    /// @param filter a seccomp filter as the kernel has it, 8 bytes an instruction
    public record Program(
            byte[] file,
            List<byte[]> arguments,
            List<byte[]> environment,
            byte[] folder,
            int[] stdio,
            int ruleset,
            byte[] filter) {}

    private final Program program;
    private final IntConsumer takeListener;
    private long result;
    private String step = "";

    private Spawn(Program program, IntConsumer takeListener) {
        this.program = program;
        this.takeListener = takeListener;
    }

    /// Whether calls of what is started can be held and answered.
    public static boolean hasNotifications(Kernel kernel) {
        return kernel.call(Call.SECCOMP.number(), GET_NOTIF_SIZES, 0, kernel.memory(8).address())
                >= 0;
    }

    /// Starts `program` and gives its process number.
    ///
    /// @param takeListener is given the notification listener, on the confined thread: it must not
    /// load classes, start threads or wait. Somebody must then answer at once, because the new
    /// process waits for its first answer before this returns.
    /// @throws KernelException if it could not be started
    public static int start(Program program, IntConsumer takeListener) {
        var spawn = new Spawn(program, takeListener);
        // The other thread gets addresses only, and this one waits for it: no need for memory that
        // several threads may touch, which costs a round through all of them to free.
        try (var arena = Arena.ofConfined()) {
            var call = spawn.prepare(arena);
            // ORDER: everything is prepared before; the new thread loads and allocates nothing.
            var thread = Thread.ofPlatform().name("writ-confined").unstarted(() -> spawn.run(call));
            thread.start();
            joinFirmly(thread);
            if (spawn.result < 0) {
                throw new KernelException(spawn.step, (int) -spawn.result);
            }
            return call.pid().get(JAVA_INT, 0);
        }
    }

    private static void joinFirmly(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
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
            MemorySegment environment,
            MemorySegment filter) {}

    private Prepared prepare(Arena arena) {
        return new Prepared(
                arena.allocate(JAVA_INT),
                text(arena, program.file()),
                actions(arena),
                attributes(arena),
                texts(arena, program.arguments()),
                texts(arena, program.environment()),
                filter(arena));
    }

    private MemorySegment attributes(Arena arena) {
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

    private MemorySegment actions(Arena arena) {
        var actions = arena.allocate(ACTIONS, 16);
        var folder = text(arena, program.folder());
        try (var kernel = new Kernel()) {
            set(kernel, "posix_spawn_file_actions_init", actions, 0, 0);
            set(kernel, "posix_spawn_file_actions_addchdir_np", actions, folder.address(), 0);
            for (int i = 0; i < 3; i++) {
                set(kernel, "posix_spawn_file_actions_adddup2", actions, program.stdio()[i], i);
            }
            set(kernel, "posix_spawn_file_actions_addclosefrom_np", actions, 3, 0);
        }
        return actions;
    }

    private static void set(Kernel kernel, String function, MemorySegment what, long a, long b) {
        int error = kernel.invoke(Kernel.function(function), what.address(), a, b, 0, 0, 0);
        if (error != 0) {
            throw new KernelException(function, error);
        }
    }

    private MemorySegment filter(Arena arena) {
        // struct sock_fprog { unsigned short len; struct sock_filter *filter; }
        var code = arena.allocate(program.filter().length, 8);
        MemorySegment.copy(program.filter(), 0, code, JAVA_BYTE, 0, program.filter().length);
        var whole = arena.allocate(16, 8);
        whole.set(JAVA_SHORT, 0, (short) (program.filter().length / 8));
        whole.set(JAVA_LONG, 8, code.address());
        return whole;
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

    /// What the confined thread does, and all it does. Here it still has every right of this
    /// process; at the end it has none but what the program is to have.
    private void run(Prepared call) {
        try (var kernel = new Kernel()) {
            step = "prctl(PR_SET_NO_NEW_PRIVS)";
            result = Credentials.noNewPrivileges(kernel);
            if (result >= 0) {
                Credentials.renounce(kernel);
            }
            if (result >= 0 && program.ruleset() >= 0) {
                step = "landlock_restrict_self";
                result = Landlock.restrict(kernel, program.ruleset());
            }
            if (result >= 0) {
                // ORDER: last before the spawn, so that the filter need not allow any of the above.
                step = "seccomp(SECCOMP_SET_MODE_FILTER, NEW_LISTENER)";
                result = seccomp(kernel, call.filter());
            }
            if (result >= 0) {
                takeListener.accept((int) result);
                step = "posix_spawn";
                result = -spawn(kernel, call);
            }
        } catch (KernelException e) {
            step = "capset";
            result = -e.errno();
        }
    }

    private static long seccomp(Kernel kernel, MemorySegment filter) {
        long listener =
                kernel.call(
                        Call.SECCOMP.number(),
                        SECCOMP_SET_MODE_FILTER,
                        NEW_LISTENER | WAIT_KILLABLE_RECV,
                        filter.address());
        return listener != -Errno.EINVAL
                ? listener
                : kernel.call(
                        Call.SECCOMP.number(),
                        SECCOMP_SET_MODE_FILTER,
                        NEW_LISTENER,
                        filter.address());
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
