// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit.Resource;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.KernelException;
import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// What the kernel says that a task has used.
final class Accounts {
    private static final int MOST_PAGES = 32;

    private Accounts() {}

    /// Adds up the time of those that have ended; null if nobody wants to know.
    static @Nullable IntConsumer ofEnded(Worker worker, Tree tree, Usage usage) {
        if (!usage.bounds.has(Resource.CPU)) {
            return null;
        }
        return task -> {
            // ORDER: at no time does it count among the living and among the ended.
            tree.members.remove(task);
            usage.burnt(Math.max(0, worker.clock.ofProcess(task)));
        };
    }

    /// Adds up what those have written that are about to end. Afterwards only root may ask.
    static void exits(Worker worker, Tree tree, Usage usage, int task) {
        long written = written(worker.files, task);
        tree.leaving.add(task); // ORDER: as above
        usage.takeRoom(written);
    }

    /// Bytes that `task` alone has changed in files that lie on disks, in whole pages.
    static long written(FileCalls files, int task) {
        return number(read(files, "/proc/" + task + "/task/" + task + "/io"), "write_bytes:", 1);
    }

    /// Bytes of memory that the process of `task` has for itself or shares with others, an upper
    /// bound. A task that has ended has none, although others of its process may live.
    static long memory(FileCalls files, int task) {
        String status = read(files, "/proc/" + task + "/status");
        return number(status, "\nRssAnon:", 1024)
                + number(status, "\nRssShmem:", 1024)
                + number(status, "\nVmSwap:", 1024)
                + tables(status);
    }

    /// What it takes to say where memory is: a page for each 2 MiB of which anything was read, also
    /// where there is nothing.
    private static long tables(String status) {
        return number(status, "\nVmPTE:", 1024);
    }

    /// A fair share of memory.
    ///
    /// @param own what a process has for itself, and its part of what it has from its parent
    /// @param shared its part of shared memory
    record Share(long own, long shared) {}

    static Share share(FileCalls files, int task) {
        String smaps = read(files, "/proc/" + task + "/smaps_rollup");
        return new Share(
                number(smaps, "\nPss_Anon:", 1024)
                        + number(smaps, "\nSwapPss:", 1024)
                        + tables(read(files, "/proc/" + task + "/status")),
                number(smaps, "\nPss_Shmem:", 1024));
    }

    /// A number of the machine's memory, in bytes.
    static long machine(FileCalls files, String name) {
        return number(read(files, "/proc/meminfo"), "\n" + name + ":", 1024);
    }

    /// The number after `name`; 0 if there is none.
    static long number(String text, String name, long unit) {
        int at = text.indexOf(name);
        if (at < 0) {
            return 0;
        }
        long number = 0;
        int i = at + name.length();
        while (i < text.length() && (text.charAt(i) == ' ' || text.charAt(i) == '\t')) {
            i++;
        }
        for (; i < text.length() && Character.isDigit(text.charAt(i)); i++) {
            number = number * 10 + (text.charAt(i) - '0');
        }
        return number * unit;
    }

    /// The text of a file in `/proc`; empty if what it is about is gone.
    ///
    /// @throws KernelException if it cannot be read although it is there
    static String read(FileCalls files, String path) {
        int file = files.open(FileCalls.AT_FDCWD, Walker.bytes(path), 0, 0);
        if (file == -Errno.ENOENT || file == -Errno.ESRCH) {
            return "";
        }
        if (file < 0) {
            throw new KernelException("open `" + path + "`", -file);
        }
        try {
            var text = new StringBuilder();
            for (int i = 0; i < MOST_PAGES; i++) {
                byte[] page = files.read(file, 4096);
                if (page.length == 0) {
                    break;
                }
                text.append(new String(page, StandardCharsets.ISO_8859_1));
            }
            return text.toString();
        } finally {
            files.close(file);
        }
    }
}
