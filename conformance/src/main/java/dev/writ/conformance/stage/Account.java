// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Whom probes and controls run as. Root drops to an ordinary user: a probe that needs root to be
/// dangerous says little about a sandbox for ordinary users, and root must not run them by mistake.
public record Account(String name, int uid, int gid, boolean dropped) {
    public static final String DEFAULT_USER = "nobody";
    private static final String ROOT = "root";

    /// The account for a runner that was asked for `user`, or for none in particular (empty).
    ///
    /// @throws StageException if there is no such user, or no right to become it
    public static Account choose(String user) {
        try {
            int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            int gid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
            String wanted = user.isEmpty() && uid == 0 ? DEFAULT_USER : user;
            if (wanted.isEmpty() || (wanted.equals(ROOT) && uid == 0)) {
                return new Account(uid == 0 ? ROOT : id("-un", ""), uid, gid, false);
            }
            if (uid != 0) {
                throw new StageException(
                        "only root can run probes as another user: `" + user + "`");
            }
            return new Account(wanted, number("-u", wanted), number("-g", wanted), true);
        } catch (IOException e) {
            throw new StageException("who runs this is unknown: " + e.getMessage(), e);
        }
    }

    /// `command`, run as this account.
    public List<String> command(List<String> command) {
        if (!dropped) {
            return command;
        }
        var words = new ArrayList<>(List.of("setpriv", "--reuid", "" + uid, "--regid", "" + gid));
        words.add("--clear-groups");
        words.add("--");
        words.addAll(command);
        return words;
    }

    /// Makes `path` this account's own.
    public void own(Path path) throws IOException {
        if (dropped) {
            Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static int number(String option, String user) {
        return Integer.parseInt(id(option, user));
    }

    private static String id(String option, String user) {
        var command = new ArrayList<>(List.of("id", option));
        if (!user.isEmpty()) {
            command.addAll(List.of("--", user));
        }
        try {
            Process process = new ProcessBuilder(command).start();
            String answer =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new StageException("no such user: `" + user + "`");
            }
            return answer.strip();
        } catch (IOException e) {
            throw new StageException("cannot run id: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StageException("interrupted", e);
        }
    }
}
