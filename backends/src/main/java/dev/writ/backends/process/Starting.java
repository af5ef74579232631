// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.AT_EMPTY_PATH;
import static dev.writ.kernel.FileCalls.AT_FDCWD;
import static dev.writ.kernel.FileCalls.O_NONBLOCK;
import static dev.writ.kernel.FileCalls.S_IFMT;
import static dev.writ.kernel.FileCalls.S_IFREG;

import dev.writ.backends.program.Programs;
import dev.writ.core.capability.FilePath;
import dev.writ.kernel.Errno;
import dev.writ.kernel.Notifications.Notification;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// execve(2), before the kernel does it. Of a program that it may not start at all the kernel tells
/// nobody, so that is refused here, where it can be written down and said.
///
/// Nothing is permitted here. What goes on meets the kernel's rule for the file, and is judged at
/// its exec stop: whoever changes the name meanwhile wins nothing but that it is not written down.
final class Starting {
    private static final int ANY_START = 0111;
    private static final int MOST_KNOWN = 1000;
    private static final int FIRST_LINE = 256; // as much as the kernel looks at
    private static final int MOST_DEEP =
            5; // scripts that are read by scripts, as the kernel has it

    private final Worker worker;
    private final Walker walker;
    private final Judge judge;
    private final List<FilePath> startable;

    /// Names of programs that were not refused when somebody last looked.
    private final Set<String> known = new HashSet<>();

    private int lastTask;
    private FilePath lastRefused = FilePath.ROOT;

    /// @param startable below which the kernel starts programs
    Starting(Worker worker, Walker walker, Judge judge, List<FilePath> startable) {
        this.worker = worker;
        this.walker = walker;
        this.judge = judge;
        this.startable = startable;
    }

    void execve(Notification call) {
        start(call, AT_FDCWD, 0);
    }

    void execveat(Notification call) {
        if (((int) call.argument(4) & AT_EMPTY_PATH) != 0) {
            worker.notifications.letPass(call.id());
        } else {
            start(call, (int) call.argument(0), 1);
        }
    }

    private void start(Notification call, int folder, int path) {
        var refused = refused(call, folder, path);
        if (refused.isEmpty()) {
            worker.notifications.letPass(call.id());
            return;
        }
        say(call.task(), refused.get());
        throw new Failed(Errno.EACCES);
    }

    /// What would have to be started and must not be.
    private Optional<FilePath> refused(Notification call, int folder, int path) {
        try {
            byte[] name = worker.text(call.task(), call.argument(path));
            var text = Places.text(name, 0, name.length);
            if (known.contains(text)) {
                return Optional.empty();
            }
            var found = walker.find(call.task(), folder, name, true);
            var refused = refused(call.task(), found, MOST_DEEP);
            if (refused.isEmpty() && known.size() < MOST_KNOWN && isFixed(text, found)) {
                known.add(text);
            }
            return refused.filter(_ -> !isFoundElsewhere(text));
        } catch (Failed e) {
            // The kernel knows best which error that is.
            return Optional.empty();
        }
    }

    /// Whether the name means the same to everybody, and nobody in the sandbox can change that.
    /// What a relative one or one in /proc leads to depends on who says it.
    private boolean isFixed(String text, Walker.Found found) {
        return text.startsWith("/")
                && !text.startsWith("/proc")
                && !judge.mayWrite(FilePath.of(text))
                && !judge.mayWrite(judge.path(found.place()));
    }

    private Optional<FilePath> refused(int task, Walker.Found found, int deep) {
        var files = worker.files;
        if (files.look(found.handle()) < 0
                || (files.mode() & S_IFMT) != S_IFREG
                || (files.mode() & ANY_START) == 0
                || !Places.isNamed(found.place(), files.links())) {
            return Optional.empty();
        }
        var path = judge.path(found.place());
        if (!isStartable(path)) {
            return Optional.of(path);
        }
        if (deep == 0) {
            return Optional.empty();
        }
        return interpreter(found.handle())
                .map(reader -> walker.find(task, AT_FDCWD, Places.bytes(reader), true))
                .flatMap(reader -> refused(task, reader, deep - 1));
    }

    /// Whether the kernel starts it, or would if it had been there from the beginning.
    private boolean isStartable(FilePath path) {
        return startable.stream().anyMatch(path::startsWith) || judge.mayStart(path);
    }

    /// The program that a script names to be read by.
    private Optional<String> interpreter(int handle) {
        int script = worker.keep(worker.files.reopen(handle, O_NONBLOCK));
        byte[] start = worker.files.read(script, FIRST_LINE);
        worker.release(script);
        return Programs.interpreter(start);
    }

    /// Whether who looks for a program in one folder after the other finds one further on that it
    /// may start: then nothing is missing.
    private boolean isFoundElsewhere(String text) {
        if (!text.startsWith("/")) {
            return false;
        }
        int slash = text.lastIndexOf('/');
        var folders = judge.folders();
        int at = folders.indexOf(FilePath.of(text.substring(0, slash + 1)));
        return at >= 0
                && folders.subList(at + 1, folders.size()).stream()
                        .anyMatch(f -> isThere(f.resolve(text.substring(slash + 1))));
    }

    private boolean isThere(FilePath program) {
        try {
            var found = walker.find(0, AT_FDCWD, Walker.bytes(program.toString()), true);
            return isStartable(judge.path(found.place()));
        } catch (Failed e) {
            return false;
        }
    }

    /// Has it judged, and says so where the program says what is wrong. Who looks in several
    /// folders may come to the same file more than once.
    private void say(int task, FilePath program) {
        if (task == lastTask && program.equals(lastRefused)) {
            return;
        }
        lastTask = task;
        lastRefused = program;
        judge.refusal(program)
                .ifPresent(
                        line -> Errors.say(worker.kernel, worker.files, task, line.concat("\n")));
    }
}
