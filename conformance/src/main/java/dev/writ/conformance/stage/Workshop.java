// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Everything one invocation has on this machine: one folder, and processes with one mark. When it
/// closes, both are gone; so also when the JVM is interrupted.
public final class Workshop implements AutoCloseable {
    private static final List<String> HELPERS =
            List.of(
                    "canary.py",
                    "degrade.py",
                    "naive.py",
                    "origin.py",
                    "services.py",
                    "start.py",
                    "unpack.py");

    private final Account account;
    private final HostTools tools;
    private final Path folder;
    private final String mark = Secrets.random();
    private final Compiler compiler;
    private final Set<Stage> stages = ConcurrentHashMap.newKeySet();
    private final Thread hook = new Thread(this::clear, "probe-cleanup");
    private volatile boolean closed;

    private Workshop(Account account, HostTools tools, Path folder) {
        this.account = account;
        this.tools = tools;
        this.folder = folder;
        this.compiler = new Compiler(tools, folder);
    }

    /// @throws StageException if the machine lacks what every case needs
    public static Workshop open(Account account, HostTools tools) {
        var programs = new ArrayList<>(List.of("sh", "setsid", "mkfifo", "rm"));
        if (account.dropped()) {
            programs.add("setpriv");
        }
        for (String program : programs) {
            if (tools.find(program).isEmpty()) {
                throw new StageException("`" + program + "` is not installed, probes need it");
            }
        }
        try {
            Path folder = Files.createTempDirectory("writ-probe-");
            var workshop = new Workshop(account, tools, folder);
            Runtime.getRuntime().addShutdownHook(workshop.hook);
            // The account may pass through, but not look around.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
            for (String helper : HELPERS) {
                Path file =
                        Files.writeString(
                                folder.resolve(helper), Resources.text("helpers/" + helper));
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            }
            return workshop;
        } catch (IOException e) {
            throw new StageException("no folder to work in: " + e.getMessage(), e);
        }
    }

    public Account account() {
        return account;
    }

    public HostTools tools() {
        return tools;
    }

    /// The folder, and nothing of ours is outside it.
    public Path folder() {
        return folder;
    }

    /// The beginning of the mark on each process of this invocation.
    public String mark() {
        return mark;
    }

    Compiler compiler() {
        return compiler;
    }

    public Path helper(String name) {
        return folder.resolve(name);
    }

    void enter(Stage stage) {
        stages.add(stage);
        if (closed) {
            throw new StageException("the run was stopped");
        }
    }

    void leave(Stage stage) {
        stages.remove(stage);
    }

    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is going down: the hook runs anyway, and finds nothing left to do
        }
    }

    private void clear() {
        closed = true;
        stages.forEach(Stage::close);
        Marks.end(mark);
        remove(folder);
    }

    /// Removes a tree of ours. By `rm`, which can go deeper than a path name can tell.
    static void remove(Path tree) {
        if (!Files.exists(tree)) {
            return;
        }
        try {
            new ProcessBuilder("rm", "-rf", "--one-file-system", "--", tree.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new StageException("cannot remove " + tree + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Removes what a probe dropped in a folder that everybody shares: just the names with its
    /// nonce.
    static void removeDropped(String nonce) {
        for (String shared : List.of("/tmp", "/dev/shm", "/var/tmp")) {
            try (DirectoryStream<Path> found =
                    Files.newDirectoryStream(Path.of(shared), "*" + nonce + "*")) {
                for (Path file : found) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                // not there, or not a plain file: then it is not one of ours
            }
        }
    }
}
