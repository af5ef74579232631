// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

/// Paths as the kernel says them, turned into paths that a policy speaks of.
final class Places {
    private static final byte[] DELETED = " (deleted)".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PROC = "/proc".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] MEMFD = "/memfd:".getBytes(StandardCharsets.US_ASCII);

    /// What `/proc` shows of a process to everybody.
    private static final Set<String> SHOWN =
            Set.of(
                    "cgroup",
                    "cmdline",
                    "comm",
                    "cpuset",
                    "limits",
                    "loginuid",
                    "mountinfo",
                    "mounts",
                    "mountstats",
                    "net",
                    "oom_adj",
                    "oom_score",
                    "oom_score_adj",
                    "sched",
                    "schedstat",
                    "sessionid",
                    "stat",
                    "statm",
                    "status",
                    "task",
                    "wchan");

    private Places() {}

    /// Whether the object has a place in the tree of files: pipes, sockets and memory files have
    /// none.
    static boolean isNamed(byte[] place, int links) {
        return place.length > 0 && place[0] == '/' && !(links == 0 && startsWith(place, MEMFD));
    }

    /// Whether `place` is `/proc`, or lies there.
    static boolean isProc(byte[] place) {
        return startsWith(place, PROC)
                && (place.length == PROC.length || place[PROC.length] == '/');
    }

    /// The path of the object at `place`. A process of the sandbox is `self` to all of them.
    static FilePath path(byte[] place, IntPredicate isMember) {
        var segments = new ArrayList<String>(8);
        int start = 1;
        for (int i = 1; i <= place.length; i++) {
            if (i == place.length || place[i] == '/') {
                if (i > start) {
                    segments.add(text(place, start, i));
                }
                start = i + 1;
            }
        }
        if (segments.size() >= 2 && segments.getFirst().equals("proc")) {
            replaceMember(segments, isMember);
        }
        return new FilePath(segments);
    }

    private static void replaceMember(List<String> segments, IntPredicate isMember) {
        int process = number(segments.get(1));
        if (process > 0 && isMember.test(process)) {
            segments.set(1, "self");
        }
    }

    /// Whether `path` leads to what a process outside of the sandbox shows only to those who may
    /// trace it, or lets itself be changed by. The kernel would not stop us: that process may be
    /// our own.
    static boolean isPrivateOfStranger(FilePath path, boolean write) {
        var segments = path.segments();
        if (segments.size() < 2
                || !segments.getFirst().equals("proc")
                || number(segments.get(1)) == 0) {
            return false;
        }
        int at = segments.size() > 3 && segments.get(2).equals("task") ? 4 : 2;
        return write || (segments.size() > at && !SHOWN.contains(segments.get(at)));
    }

    /// Whether `path` leads to what the kernel shows to everybody of a process outside of the
    /// sandbox.
    static boolean isShownOfStranger(FilePath path) {
        var segments = path.segments();
        return segments.size() > 2
                && segments.getFirst().equals("proc")
                && number(segments.get(1)) != 0
                && !isPrivateOfStranger(path, false);
    }

    /// `text` as the number of a process; 0 if it is none.
    static int number(String text) {
        if (text.isEmpty() || text.length() > 9) {
            return 0;
        }
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return 0;
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }

    /// The kernel marks what has been removed in a way that a name can imitate.
    static boolean looksRemoved(byte[] place) {
        return place.length > DELETED.length && endsWith(place, DELETED);
    }

    static byte[] withoutMark(byte[] place) {
        return Arrays.copyOf(place, place.length - DELETED.length);
    }

    /// Bytes that are not UTF-8 become lone surrogates, each its own: no two names become one, and
    /// no rule that is written as text can name them, but `*` and folders cover them.
    static String text(byte[] bytes, int start, int end) {
        if (isAscii(bytes, start, end)) {
            return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
        }
        return Text.of(Arrays.copyOfRange(bytes, start, end));
    }

    /// The bytes that [#text] makes `text` of.
    static byte[] bytes(String text) {
        var out = new ByteArrayOutputStream(text.length());
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
            if (c >= 0xDC80 && c <= 0xDCFF && !pair) {
                out.writeBytes(text.substring(start, i).getBytes(StandardCharsets.UTF_8));
                out.write(c - 0xDC00);
                start = i + 1;
            }
        }
        out.writeBytes(text.substring(start).getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    private static boolean isAscii(byte[] bytes, int start, int end) {
        for (int i = start; i < end; i++) {
            if (bytes[i] < 0) {
                return false;
            }
        }
        return true;
    }

    static boolean startsWith(byte[] bytes, byte[] prefix) {
        return bytes.length >= prefix.length
                && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    static boolean endsWith(byte[] bytes, byte[] suffix) {
        int start = bytes.length - suffix.length;
        return start >= 0 && Arrays.equals(bytes, start, bytes.length, suffix, 0, suffix.length);
    }
}
