// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import java.util.List;
import java.util.Map;

/// A table of answers to system calls, and the way from there to a program for seccomp(2). What the
/// table says is the caller's business. A filter sees registers only, never memory.
public final class Filter {
    public static final Action ALLOW = new Action.Allow();
    public static final Action NOTIFY = new Action.Notify();
    public static final Action KILL_PROCESS = new Action.KillProcess();

    private static final int ARGUMENTS = 6;

    private Filter() {}

    /// The program that answers each call by its rule, and every other one with `otherwise`.
    /// Another architecture than `arch` ends the process. The x32 calls of x86-64 do not exist.
    ///
    /// @throws IllegalArgumentException if the program is longer than the kernel takes
    public static Bpf.Program compile(Arch arch, Map<Call, Rule> rules, Action otherwise) {
        return new FilterCompiler().compile(arch, rules, otherwise);
    }

    /// What happens to a call.
    public sealed interface Action {
        /// The kernel performs it.
        record Allow() implements Action {
            @Override
            public int value() {
                return Bpf.SECCOMP_RET_ALLOW;
            }
        }

        /// It fails with `number`, or seems to succeed if that is 0. Nothing is done.
        record Errno(int number) implements Action {
            private static final int MAX_ERRNO = 4095;

            public Errno {
                if (number < 0 || number > MAX_ERRNO) {
                    throw new IllegalArgumentException(
                            "an errno is between 0 and 4095: `%d`".formatted(number));
                }
            }

            @Override
            public int value() {
                return Bpf.SECCOMP_RET_ERRNO | number;
            }
        }

        /// It waits for the supervisor.
        record Notify() implements Action {
            @Override
            public int value() {
                return Bpf.SECCOMP_RET_USER_NOTIF;
            }
        }

        /// It ends the process.
        record KillProcess() implements Action {
            @Override
            public int value() {
                return Bpf.SECCOMP_RET_KILL_PROCESS;
            }
        }

        /// What the program returns for it.
        int value();
    }

    /// A claim about the arguments of a call. Arguments count from 0. Where the kernel takes an
    /// `int` it ignores the upper half of the register, so a condition on one must do so too.
    public sealed interface Condition {
        /// The bits of `mask` are those of `value`.
        record Equal(int argument, long mask, long value) implements Condition {
            public Equal {
                check(argument, mask);
                if ((value & ~mask) != 0) {
                    throw new IllegalArgumentException(
                            "a value lies within its mask: `0x%x`".formatted(value));
                }
            }

            @Override
            public boolean holds(long... arguments) {
                return (arguments[argument] & mask) == value;
            }
        }

        /// Some bit of `mask` is set.
        record AnyBit(int argument, long mask) implements Condition {
            public AnyBit {
                check(argument, mask);
            }

            @Override
            public boolean holds(long... arguments) {
                return (arguments[argument] & mask) != 0;
            }
        }

        /// Two claims at once.
        record Both(Condition first, Condition second) implements Condition {
            @Override
            public boolean holds(long... arguments) {
                return first.holds(arguments) && second.holds(arguments);
            }
        }

        private static void check(int argument, long mask) {
            if (argument < 0 || argument >= ARGUMENTS) {
                throw new IllegalArgumentException(
                        "an argument is between 0 and 5: `%d`".formatted(argument));
            }
            if (mask == 0) {
                throw new IllegalArgumentException("a mask has a bit");
            }
        }

        /// The lower 32 bits are `value`.
        static Condition low(int argument, int value) {
            return masked(argument, -1, value);
        }

        /// The lower 32 bits under `mask` are `value`.
        static Condition masked(int argument, int mask, int value) {
            return new Equal(argument, Integer.toUnsignedLong(mask), Integer.toUnsignedLong(value));
        }

        /// One of the lower 32 bits that are in `mask` is set.
        static Condition bits(int argument, int mask) {
            return new AnyBit(argument, Integer.toUnsignedLong(mask));
        }

        /// All 64 bits are `value`.
        static Condition whole(int argument, long value) {
            return new Equal(argument, -1L, value);
        }

        /// One of the 64 bits is set.
        static Condition nonzero(int argument) {
            return new AnyBit(argument, -1L);
        }

        default Condition and(Condition second) {
            return new Both(this, second);
        }

        default When then(Action action) {
            return new When(this, action);
        }

        /// Whether it is true of six arguments.
        boolean holds(long... arguments);
    }

    /// What happens to a call whose arguments meet a condition.
    public record When(Condition condition, Action action) {}

    /// What happens to a call: the action of the first condition that holds, or `otherwise`.
    public record Rule(List<When> whens, Action otherwise) {
        public Rule {
            whens = List.copyOf(whens);
        }

        public static Rule always(Action action) {
            return new Rule(List.of(), action);
        }

        /// What the compiled program answers to a call with these six arguments.
        public Action answer(long... arguments) {
            for (var when : whens) {
                if (when.condition().holds(arguments)) {
                    return when.action();
                }
            }
            return otherwise;
        }
    }
}
