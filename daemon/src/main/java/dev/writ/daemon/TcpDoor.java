// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.daemon.http.Door;
import dev.writ.daemon.http.Head;
import dev.writ.daemon.http.HttpException;
import java.nio.channels.SocketChannel;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Set;

/// Lets in whoever knows the token. A port of this machine is open to every user and every web page
/// on it, so nothing else is believed: a page can make a browser connect, but it cannot choose the
/// `Host`, hide the `Origin`, or know the token.
final class TcpDoor implements Door {
    private final byte[] credentials;
    private final Set<String> hosts;

    TcpDoor(String token, int port) {
        this.credentials = ("Bearer " + token).getBytes(US_ASCII);
        this.hosts = Set.of("127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port);
    }

    @Override
    public boolean admits(SocketChannel channel) {
        return true;
    }

    @Override
    public void check(Head head) throws HttpException {
        if (!hosts.contains(head.field("host").orElse("").toLowerCase(Locale.ROOT))) {
            throw new HttpException(421, "the `host` is not this machine's");
        }
        if (head.field("origin").isPresent()) {
            throw new HttpException(403, "web pages are not let in");
        }
        byte[] given = head.field("authorization").orElse("").getBytes(US_ASCII);
        if (!MessageDigest.isEqual(given, credentials)) {
            throw new HttpException(
                    401, "the token is missing or wrong; the daemon says where its file is");
        }
    }
}
