// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.broker.Asker.Circumstances;
import dev.writ.core.capability.Text;
import dev.writ.core.digest.Sha256;
import dev.writ.core.sandbox.SandboxSpec;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// What a task that is held has around it, as `/proc` says: its folder, what it reads, the names of
/// its variables.
final class Around {
    private static final int MOST_BYTES = 1 << 21; // more than variables may take
    private static final int MOST_NAMES = 256;
    private static final String CLOSED = "none: it is closed";
    private static final long NULL_DEVICE = (1L << 32) | 3;

    /// So that nothing that could not be looked at is like anything else.
    private static final AtomicLong UNSEEN = new AtomicLong();

    private final FirstInput first;
    private final String terminal;

    Around(Tree tree) {
        this.first = tree.input;
        this.terminal = tree.terminal;
    }

    Circumstances of(int task) {
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            String folder = link(files, task, "cwd");
            String folderId = isThere(files, task, "cwd") ? id(files) : unseen();
            String place = link(files, task, "fd/0");
            String input = CLOSED;
            String inputId = "";
            if (isThere(files, task, "fd/0")) {
                input = input(files, place);
                // What is known to the last byte is the same wherever it comes from.
                inputId = first.isKnown(files) ? "" : inputId(files, task) + " " + place;
            }
            var names = names(task);
            return new Circumstances(
                    folder, input, shown(names), folderId + "|" + inputId + "|" + digest(names));
        }
    }

    private static String file(int task, String name) {
        return "/proc/" + task + "/" + name;
    }

    private static String link(FileCalls files, int task, String name) {
        byte[] place = files.readLink(FileCalls.AT_FDCWD, Walker.bytes(file(task, name)));
        return Places.text(place, 0, place.length);
    }

    private static boolean isThere(FileCalls files, int task, String name) {
        return files.lookAt(Walker.bytes(file(task, name))) == 0;
    }

    private static String unseen() {
        return "unseen " + UNSEEN.incrementAndGet();
    }

    /// What was looked at last. Its number can be given again when it is gone, its birth cannot.
    private static String id(FileCalls files) {
        return files.device() + ":" + files.inode() + ":" + files.born();
    }

    /// What was looked at last. Of a file also how far it has been read, and when it was changed:
    /// its contents may be too many to be looked at.
    private static String inputId(FileCalls files, int task) {
        String id = id(files);
        if ((files.mode() & FileCalls.S_IFMT) != FileCalls.S_IFREG) {
            return id;
        }
        String times = files.size() + ":" + files.changed();
        long at = Accounts.number(Accounts.read(files, file(task, "fdinfo/0")), "pos:", 1);
        return id + ":" + times + ":" + at;
    }

    /// Our own words come first: what the program has chosen stands at the end.
    private String input(FileCalls files, String place) {
        if (first.is(files)) {
            return first.words().get();
        }
        if (!terminal.isEmpty() && place.equals(terminal)) {
            String given = first.words().get();
            return given.equals(SandboxSpec.STREAM) ? "terminal" : "terminal, given " + given;
        }
        return switch (files.mode() & FileCalls.S_IFMT) {
            case FileCalls.S_IFREG ->
                    "file of " + files.size() + " bytes, changed " + changed(files) + ": " + place;
            case FileCalls.S_IFIFO -> "a stream: " + place;
            case FileCalls.S_IFSOCK -> "a stream: " + place;
            case FileCalls.S_IFCHR ->
                    files.deviceItself() == NULL_DEVICE
                            ? SandboxSpec.NOTHING
                            : (isTerminal(place) ? "terminal: " : "device: ") + place;
            default -> "no file: " + place;
        };
    }

    private static boolean isTerminal(String place) {
        return place.startsWith("/dev/pts/") || place.startsWith("/dev/tty");
    }

    private static Instant changed(FileCalls files) {
        return Instant.ofEpochSecond(files.modified());
    }

    private static List<String> names(int task) {
        try (var in = Files.newInputStream(Path.of(file(task, "environ")))) {
            var names = new ArrayList<String>();
            byte[] all = in.readNBytes(MOST_BYTES);
            for (var variable : Places.text(all, 0, all.length).split("\0")) {
                int end = variable.indexOf('=');
                if (!variable.isEmpty()) {
                    names.add(end < 0 ? variable : variable.substring(0, end));
                }
            }
            return names.stream().distinct().sorted().toList();
        } catch (IOException e) {
            return List.of(unseen());
        }
    }

    private static List<String> shown(List<String> names) {
        if (names.size() <= MOST_NAMES) {
            return names;
        }
        var some = new ArrayList<>(names.subList(0, MOST_NAMES));
        some.add("and " + (names.size() - MOST_NAMES) + " more");
        return some;
    }

    private static String digest(List<String> names) {
        return Sha256.hex(Text.bytes(String.join("\0", names)));
    }
}
