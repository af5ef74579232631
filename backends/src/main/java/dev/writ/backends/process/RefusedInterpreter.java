// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.backends.program.Programs;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.sandbox.SandboxSpec;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.util.List;
import java.util.Optional;

/// Why the kernel has refused to start the first program, which was judged before: it is a script,
/// and nobody has judged what reads it. Asked afterwards, because it hardly ever happens.
final class RefusedInterpreter {
    private static final int FIRST_LINE = 256; // as much as the kernel looks at

    private RefusedInterpreter() {}

    /// What to say about it, once it is written down; nothing if it is something else.
    static Optional<String> of(SandboxSpec spec, Broker broker) {
        return Programs.interpreter(start(spec.program()))
                .flatMap(RefusedInterpreter::place)
                .flatMap(path -> judge(spec, broker, path));
    }

    private static byte[] start(FilePath script) {
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            byte[] name = Walker.bytes(script.toString());
            int file = files.open(FileCalls.AT_FDCWD, name, FileCalls.O_NONBLOCK, 0);
            byte[] start = file < 0 ? new byte[0] : files.read(file, FIRST_LINE);
            files.close(file);
            return start;
        }
    }

    /// Where it really lies.
    private static Optional<FilePath> place(String interpreter) {
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            byte[] name = Places.bytes(interpreter);
            int found = files.find(FileCalls.AT_FDCWD, name, true, 0);
            byte[] place = found < 0 ? new byte[0] : files.place(found);
            files.close(found);
            return place.length == 0
                    ? Optional.empty()
                    : Optional.of(Places.path(place, _ -> false));
        }
    }

    private static Optional<String> judge(SandboxSpec spec, Broker broker, FilePath program) {
        var action = new Action.StartProgram(program, List.of());
        var verdict = broker.judgeNow(new Request(spec.session(), action)).orElse(null);
        return verdict instanceof Verdict.Refused(var reason)
                ? Optional.of(
                        "denied: `"
                                + Text.shown(action.text(spec.policy().scope()))
                                + "`: "
                                + reason.line())
                : Optional.empty();
    }
}
