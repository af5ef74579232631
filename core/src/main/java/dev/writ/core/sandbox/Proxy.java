// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

import dev.writ.core.capability.Address;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Host;
import dev.writ.core.policy.Passage;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The only way out of a sandbox. A backend leads each connection here instead of where it was
/// meant to go; here it is looked at as far as the policy wants, and passed on.
///
/// May be used from several threads.
public interface Proxy extends AutoCloseable {
    /// Where connections have to be led: an address of this machine.
    InetSocketAddress address();

    /// Whether it listens on `port` already, for whomever.
    boolean isAt(int port);

    /// A connection is about to come from `from` that was meant for `port` of `host`. Whoever comes
    /// without having been announced is sent away.
    ///
    /// @param passage what it may be used for. Unless that is requests, which are judged here, the
    /// broker has permitted the connection
    void expect(InetSocketAddress from, Host host, int port, Passage passage);

    /// The connection from `from` was not made after all.
    void forget(InetSocketAddress from);

    /// Where datagrams for `port` of `host` have to go, which the broker has permitted. May wait
    /// for the name to be resolved.
    ///
    /// @return empty if nobody is there who may be reached
    Optional<Way> datagrams(Host host, int port);

    /// The way of datagrams between one socket in a sandbox and one destination. The backend opens
    /// a socket that is connected to [#address], and tells of every datagram before it goes on.
    interface Way extends AutoCloseable {
        InetSocketAddress address();

        /// Whether a datagram of so many bytes may leave.
        boolean mayLeave(int bytes);

        /// Whether one may come back.
        boolean mayReturn(int bytes);

        /// Whether nothing has passed for so long that it is to be closed.
        boolean isIdle();

        /// Writes down what has passed.
        @Override
        void close();
    }

    /// The answer to a question for a name, both as DNS messages; empty if it is none. Names that
    /// some rule leads to have an address that stands for them here and nowhere else. No question
    /// leaves this machine.
    Optional<byte[]> answer(byte[] question);

    /// Which host `address` stands for: a name, if it is one of those that [#answer] gives, or
    /// itself.
    Host meant(Address address);

    /// Whether [#instead] ever has something. If so, a backend has to look at each file that is
    /// opened to be read.
    default boolean replacesFiles() {
        return true;
    }

    /// What a program is to find instead of what is in `file`: certificates to trust, and the one
    /// among them that vouches for connections which are looked at. Empty if it finds the file.
    ///
    /// @param file its name
    /// @param object where that is found which was judged, whoever has the name by now
    Optional<byte[]> instead(FilePath file, Path object);

    /// Variables that tell programs where those certificates are.
    Map<String, String> environment();

    /// Ends all connections.
    @Override
    void close();
}
