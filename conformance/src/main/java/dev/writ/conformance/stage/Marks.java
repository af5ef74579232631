// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Finds the processes of a run by a variable that only they have in their environment. A probe may
/// have left its parent, its session and its process group; its environment it still has.
public final class Marks {
    /// The variable.
    public static final String VARIABLE = "WRIT_PROBE_MARK";

    private static final int ROUNDS = 50;

    private Marks() {}

    /// The live processes whose mark begins with `mark`.
    public static List<ProcessHandle> find(String mark) {
        return ProcessHandle.allProcesses().filter(p -> carries(p.pid(), mark)).toList();
    }

    /// Ends them, and those that they start meanwhile. The handles know the start time of their
    /// process, so a process id that was used again is left alone.
    static void end(String mark) {
        for (int round = 0; round < ROUNDS; round++) {
            List<ProcessHandle> found = find(mark);
            if (found.isEmpty()) {
                return;
            }
            found.forEach(ProcessHandle::destroyForcibly);
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the processes must go all the same
            }
        }
    }

    private static boolean carries(long pid, String mark) {
        try {
            byte[] environment = Files.readAllBytes(Path.of("/proc/" + pid + "/environ"));
            String text = new String(environment, StandardCharsets.ISO_8859_1);
            return text.startsWith(VARIABLE + "=" + mark)
                    || text.contains("\0" + VARIABLE + "=" + mark);
        } catch (IOException e) {
            return false; // gone, or not ours
        }
    }
}
