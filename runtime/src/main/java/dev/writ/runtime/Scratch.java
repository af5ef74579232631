// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A folder for temporary files that is the session's own, so that `/tmp` need not be shared. It is
/// treated like a new folder inside of the policy's folder: written to where that may be, and
/// programs in it started where they may be there; its sockets are the session's own as well. Gone
/// when the session ends.
final class Scratch implements AutoCloseable {
    private final Path folder;

    private Scratch(Path folder) {
        this.folder = folder;
    }

    static Scratch make() {
        try {
            return new Scratch(makeIn(Path.of(System.getProperty("java.io.tmpdir")).toRealPath()));
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for temporary files could be made", e);
        }
    }

    /// Nobody need be kept from guessing the name: who has it already is left alone. And to draw
    /// one that nobody can guess takes a JVM 20 ms the first time.
    private static Path makeIn(Path parent) throws IOException {
        var own =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        while (true) {
            var name = ProcessHandle.current().pid() + "-" + Long.toString(System.nanoTime(), 36);
            try {
                return Files.createDirectory(parent.resolve("writ-" + name), own);
            } catch (FileAlreadyExistsException e) {
                // another name, then
            }
        }
    }

    /// Whether a session under `policy` gets such a folder: not if it may write nothing.
    static boolean isFor(Policy policy) {
        return isAllowed(policy, new Action.WriteFile(example(policy)));
    }

    /// `policy`, and what it says about this folder.
    Policy grant(Policy policy) {
        var rules = new ArrayList<Rule>();
        rules.add(rule(Capability.write(path()), policy));
        // Whoever listens on a socket in here is of the same session.
        rules.add(rule(Capability.parse("unix:" + folder, policy.scope()), policy));
        if (isAllowed(policy, new Action.StartProgram(example(policy), List.of()))) {
            rules.add(rule(Capability.parse("exec:" + folder + "/**", policy.scope()), policy));
        }
        return policy.plus(rules);
    }

    private static Rule rule(Capability capability, Policy policy) {
        return new Rule(
                Effect.ALLOW, capability, capability.text(policy.scope()), Source.of("built-in"));
    }

    private static FilePath example(Policy policy) {
        return policy.scope().base().resolve("writ-scratch/example");
    }

    private static boolean isAllowed(Policy policy, Action action) {
        return policy.decide(action) instanceof Decision.Allow;
    }

    FilePath path() {
        return FilePath.of(folder.toString());
    }

    /// Removes it. Links in it are removed, not followed.
    @Override
    public void close() {
        try {
            Files.walkFileTree(folder, new Removal());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the folder for temporary files could not be removed", e);
        }
    }

    private static final class Removal extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes)
                throws IOException {
            Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            // A folder that nobody may read: it can be opened up, and then be tried again.
            if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
                Files.walkFileTree(file, this);
                return FileVisitResult.CONTINUE;
            }
            throw e;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e)
                throws IOException {
            Files.delete(dir);
            return FileVisitResult.CONTINUE;
        }
    }
}
