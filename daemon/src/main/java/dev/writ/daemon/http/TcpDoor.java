// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.channels.SocketChannel;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Set;

/// Lets in whoever knows the token. A port of this machine is open to every user and every web page
/// on it, so nothing else is believed: a page can make a browser connect, but it cannot choose the
/// `Host`, hide the `Origin`, or know the token.
public final class TcpDoor implements Door {
    private final byte[] credentials;
    private final String where;
    private final Set<String> hosts;
    private final boolean ownPages;

    /// @param where says where the token is to be found
    /// @param ownPages whether a program may say that it is a page of this server. No browser does,
    /// because there is none
    public TcpDoor(String token, String where, int port, boolean ownPages) {
        this.credentials = ("Bearer " + token).getBytes(US_ASCII);
        this.where = where;
        this.ownPages = ownPages;
        this.hosts = Set.of("127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port);
    }

    @Override
    public boolean admits(SocketChannel channel) {
        return true;
    }

    @Override
    public boolean check(Head head) throws HttpException {
        if (!hosts.contains(head.field("host").orElse("").toLowerCase(Locale.ROOT))) {
            throw new HttpException(421, "the `host` is not this machine's");
        }
        if (head.field("origin").filter(o -> !ownPages || !isOwn(o)).isPresent()) {
            throw new HttpException(403, "web pages are not let in");
        }
        byte[] given = head.field("authorization").orElse("").getBytes(US_ASCII);
        if (!MessageDigest.isEqual(given, credentials)) {
            throw new HttpException(401, "the token is missing or wrong; " + where);
        }
        return true;
    }

    private boolean isOwn(String origin) {
        return hosts.stream().anyMatch(h -> origin.equalsIgnoreCase("http://" + h));
    }
}
