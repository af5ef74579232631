// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.writ.trust.file.FolderLock;
import dev.writ.trust.file.WholeFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.Objects;

/// The folder of the socket: private, and held by one daemon at a time.
final class SocketFolder implements AutoCloseable {
    private static final int LONGEST = 107;

    private final Path socket;
    private final FolderLock lock;
    private final UserPrincipal operator;

    private SocketFolder(Path socket, FolderLock lock, UserPrincipal operator) {
        this.socket = socket;
        this.lock = lock;
        this.operator = operator;
    }

    /// @throws dev.writ.trust.file.HeldException if a daemon runs there
    static SocketFolder take(Path socket) throws IOException {
        var folder = Objects.requireNonNull(socket.getParent());
        if (socket.toString().length() > LONGEST) {
            throw new IOException(
                    "a socket has a path of at most "
                            + LONGEST
                            + " bytes: `"
                            + socket
                            + "`; set WRIT_HOME or XDG_RUNTIME_DIR to a shorter one");
        }
        WholeFile.privateFolder(folder);
        if (!Files.isDirectory(folder, NOFOLLOW_LINKS)) {
            throw new IOException("`" + folder + "` is a link, so anybody can have put it there");
        }
        var lock = FolderLock.take(folder, Duration.ZERO);
        try {
            var operator = operator(folder);
            if (!Files.getOwner(folder, NOFOLLOW_LINKS).equals(operator)) {
                throw new IOException("`" + folder + "` belongs to somebody else");
            }
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            return new SocketFolder(socket, lock, operator);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /// Whose process this is: what it makes belongs to them.
    private static UserPrincipal operator(Path folder) throws IOException {
        var file = Files.createTempFile(folder, "who", "");
        try {
            return Files.getOwner(file, NOFOLLOW_LINKS);
        } finally {
            Files.delete(file);
        }
    }

    UserPrincipal operator() {
        return operator;
    }

    /// Listens. A socket that is there already was left behind: nobody holds the folder but us.
    ServerSocketChannel listen() throws IOException {
        Files.deleteIfExists(socket);
        var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listener.bind(UnixDomainSocketAddress.of(socket), 256);
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
            return listener;
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        // ORDER: while the folder is ours, so that it is our own socket.
        try (var _ = lock) {
            Files.deleteIfExists(socket);
        }
    }
}
