// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.util.List;

/// Answers a question that waits in the daemon: `approve` and `refuse`.
final class AnswerVerb implements Verb {
    private static final Option SESSION =
            Option.flag("session", "and to the same, as long as the sandbox is there");
    private static final Option ALWAYS = Option.flag("always", "and to the same, from now on");
    private static final Option ALL =
            Option.flag("all", "and everything else that this sandbox asks");

    private final boolean approves;

    private AnswerVerb(boolean approves) {
        this.approves = approves;
    }

    static AnswerVerb approve() {
        return new AnswerVerb(true);
    }

    static AnswerVerb refuse() {
        return new AnswerVerb(false);
    }

    @Override
    public Manual manual() {
        return approves
                ? new Manual(
                        "approve",
                        "say yes to a question that waits in the daemon",
                        "ID [--session|--always]",
                        List.of("writ approve q3f", "writ approve q3f --session"),
                        List.of(SESSION, ALWAYS))
                : new Manual(
                        "refuse",
                        "say no to a question that waits in the daemon",
                        "ID [--all]",
                        List.of("writ refuse q3f", "writ refuse q3f --all"),
                        List.of(ALL));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        if (arguments.words().size() != 1) {
            throw new UsageException("which question? `writ approvals` shows those that wait");
        }
        String id = arguments.words().getFirst();
        if (!approves) {
            return new Questions(world).answer(id, "refuse", arguments.has(ALL) ? "all" : "once");
        }
        if (arguments.has(SESSION) && arguments.has(ALWAYS)) {
            throw new UsageException("`--session` and `--always` exclude each other");
        }
        String scope =
                arguments.has(ALWAYS) ? "always" : arguments.has(SESSION) ? "session" : "once";
        return new Questions(world).answer(id, "approve", scope);
    }
}
