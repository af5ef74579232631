// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A folder that only its owner can have written: what stands in it is believed. No link is
/// followed in it, nothing of somebody else is read, and a file is replaced as a whole or not at
/// all.
final class PrivateFolder {
    private static final String LOCK = ".lock";
    private static final FileAttribute<Set<PosixFilePermission>> FOLDER = mode("rwx------");
    private static final FileAttribute<Set<PosixFilePermission>> FILE = mode("rw-------");

    private final Path folder;

    PrivateFolder(Path folder) {
        this.folder = folder;
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /// The names of the files in it that end with `suffix`, in order; none if it does not exist.
    List<String> names(String suffix) throws IOException {
        if (!exists()) {
            return List.of();
        }
        try (var files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString())
                    .filter(n -> n.endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    /// What the file `name` says; nothing if there is none.
    Optional<String> read(String name) throws IOException {
        if (!exists()) {
            return Optional.empty();
        }
        var file = file(name);
        try (var channel =
                Files.newByteChannel(file, Set.of(StandardOpenOption.READ, NOFOLLOW_LINKS))) {
            requireOwn(file, Files.isRegularFile(file, NOFOLLOW_LINKS), "file");
            byte[] bytes =
                    Channels.newInputStream(channel).readNBytes(4 * YamlReader.MOST_CHARACTERS + 1);
            return Optional.of(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private boolean exists() throws IOException {
        if (!Files.exists(folder, NOFOLLOW_LINKS)) {
            return false;
        }
        requireOwn(folder, Files.isDirectory(folder, NOFOLLOW_LINKS), "folder");
        return true;
    }

    private static void requireOwn(Path path, boolean isRight, String what) throws IOException {
        if (!isRight) {
            throw new FileSystemException(path.toString(), null, "is no " + what);
        }
        if (!Owners.isOwn(path)) {
            throw new FileSystemException(path.toString(), null, "belongs to somebody else");
        }
        var mode = Files.getPosixFilePermissions(path, NOFOLLOW_LINKS);
        if (mode.contains(PosixFilePermission.GROUP_WRITE)
                || mode.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "can be written by others; `chmod go-w` it if you trust what it says");
        }
    }

    /// What to do while nobody else changes this folder.
    interface Change<T> {
        T make() throws IOException;
    }

    <T> T alone(Change<T> change) throws IOException {
        Files.createDirectories(folder, FOLDER);
        exists();
        try (var channel =
                        FileChannel.open(
                                file(LOCK),
                                Set.of(
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.WRITE,
                                        NOFOLLOW_LINKS),
                                FILE);
                var _ = channel.lock()) {
            return change.make();
        }
    }

    /// Replaces the file `name`, so that it says either what it said or `text`, whatever happens
    /// meanwhile.
    void replace(String name, String text) throws IOException {
        var whole = file(name);
        if (Files.exists(whole, NOFOLLOW_LINKS)) {
            requireOwn(whole, Files.isRegularFile(whole, NOFOLLOW_LINKS), "file");
        }
        var part = file(name + ".new");
        Files.deleteIfExists(part);
        try (var channel =
                FileChannel.open(
                        part,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        FILE)) {
            var bytes = ByteBuffer.wrap(text.getBytes(UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(part, whole, StandardCopyOption.ATOMIC_MOVE);
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    void remove(String name) throws IOException {
        Files.deleteIfExists(file(name));
    }
}
