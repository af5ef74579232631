// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.writ.core.audit.SessionId;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The socket files that sandboxes have made, each for as long as its sandbox lives.
///
/// Who has made a socket may connect to it, wherever it lies, and so may the rest of the session. A
/// name says nothing about that: where a sandbox may write, others have sockets, too, and a folder
/// with one of theirs can be moved. So each is made under a name that nobody else knows, and what
/// has that name is held from then on: while it is, no other file gets its number.
final class OwnSockets {
    private static final int MOST_HELD = 128; // by one sandbox
    private static final int MOST_NAMES = 10_000;
    private static final String PREFIX = ".writ-";

    /// Those that have a port instead of a file.
    final OwnPorts ports = new OwnPorts();

    private final Map<Tree, Made> made = new HashMap<>();

    private record Identity(long device, long inode) {
        static Identity of(FileCalls files) {
            return new Identity(files.device(), files.inode());
        }
    }

    /// @param held the handle on each
    /// @param names what the program called those that the kernel knows by another name
    private record Made(Map<Identity, Integer> held, Map<String, byte[]> names) {
        Made() {
            this(new HashMap<>(), new HashMap<>());
        }

        /// Lets go of what has no name any more.
        void drop(FileCalls files) {
            held.values().removeIf(handle -> isClosed(files, handle));
        }

        private static boolean isClosed(FileCalls files, int handle) {
            boolean removed = files.look(handle) == 0 && files.links() == 0;
            if (removed) {
                files.close(handle);
            }
            return removed;
        }
    }

    /// A name to make a socket under.
    static byte[] freshName() {
        return (PREFIX + UUID.randomUUID()).getBytes(ISO_8859_1);
    }

    /// A process of `maker` has made the socket of `handle` as `fresh`, and calls it `name`. The
    /// handle belongs to us from now on. Who has too many can connect to none of the rest.
    ///
    /// @param certain whether it can be nothing else
    synchronized void add(
            FileCalls files, int handle, Tree maker, byte[] fresh, byte[] name, boolean certain) {
        var own = made.computeIfAbsent(maker, _ -> new Made());
        if (own.names.size() < MOST_NAMES) {
            own.names.put(new String(fresh, ISO_8859_1), name);
        }
        if (own.held.size() >= MOST_HELD) {
            own.drop(files);
        }
        if (!certain
                || own.held.size() >= MOST_HELD
                || files.look(handle) < 0
                || own.held.putIfAbsent(Identity.of(files), handle) != null) {
            files.close(handle);
        }
    }

    /// Whether `session` has made the file that `files` has just looked at.
    synchronized boolean contains(FileCalls files, SessionId session) {
        var identity = Identity.of(files);
        return made.entrySet().stream()
                .filter(entry -> entry.getKey().session.equals(session))
                .anyMatch(entry -> entry.getValue().held.containsKey(identity));
    }

    /// What the program called the socket that the kernel knows as `fresh`.
    synchronized Optional<byte[]> name(byte[] fresh) {
        var text = new String(fresh, ISO_8859_1);
        return text.startsWith(PREFIX)
                ? made.values().stream()
                        .flatMap(m -> Optional.ofNullable(m.names.get(text)).stream())
                        .findFirst()
                : Optional.empty();
    }

    /// All of `tree` have ended, and nobody listens any more on what they have made.
    synchronized void forget(Tree tree) {
        ports.forget(tree);
        var own = made.remove(tree);
        if (own != null) {
            try (var kernel = new Kernel()) {
                var files = new FileCalls(kernel);
                own.held.values().forEach(files::close);
            }
        }
    }
}
