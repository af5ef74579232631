// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.console;

import dev.writ.daemon.http.Door;
import dev.writ.daemon.http.Head;
import dev.writ.daemon.http.HttpException;
import java.nio.channels.SocketChannel;
import java.util.Locale;

/// Lets in the console's own page. Every other page, program and user of this machine can connect,
/// so nothing is believed that a browser adds by itself: there are no cookies, and the visit is in
/// a header that no other page can send.
final class ConsoleDoor implements Door {
    private static final String BEARER = "Bearer ";

    private final Visits visits;
    private final String host;

    ConsoleDoor(Visits visits, int port) {
        this.visits = visits;
        this.host = "127.0.0.1:" + port;
    }

    String origin() {
        return "http://" + host;
    }

    @Override
    public boolean admits(SocketChannel channel) {
        return true;
    }

    @Override
    public boolean check(Head head) throws HttpException {
        if (!head.field("host").orElse("").equals(host)) {
            throw new HttpException(421, "the `host` is not the console's");
        }
        if (!head.field("origin").orElse(origin()).equals(origin())) {
            throw new HttpException(403, "other web pages are not let in");
        }
        boolean own = isOwn(head.field("sec-fetch-site").orElse("none"));
        switch (head.method()) {
            case "GET" -> {
                // A link may lead here from anywhere; what the page is made of is for the page.
                if (!own && !head.target().equals("/")) {
                    throw new HttpException(403, "other web pages are not let in");
                }
            }
            case "POST" -> {
                if (!own || !isJson(head) || head.field("writ-console").isEmpty()) {
                    throw new HttpException(403, "only the console's own page may do that");
                }
            }
            default -> throw new HttpException(405, "the console only reads and posts");
        }
        boolean known = needsVisit(head.target());
        if (known && !visits.isGood(visit(head))) {
            throw new HttpException(401, "the visit is over; `writ console` gives a new link");
        }
        return known;
    }

    private static boolean isOwn(String site) {
        return site.equals("same-origin") || site.equals("none");
    }

    private static boolean isJson(Head head) {
        return head.field("content-type")
                .orElse("")
                .toLowerCase(Locale.ROOT)
                .equals("application/json");
    }

    private static boolean needsVisit(String target) {
        return target.startsWith("/v1/") || target.equals(ConsoleHandler.LEAVE);
    }

    /// What the request shows; empty if nothing.
    static String visit(Head head) {
        String shown = head.field("authorization").orElse("");
        return shown.startsWith(BEARER) ? shown.substring(BEARER.length()) : "";
    }
}
