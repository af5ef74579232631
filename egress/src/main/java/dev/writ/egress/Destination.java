// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Host;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;

/// Host and port, in their one normal form.
record Destination(Host host, int port) {
    /// Reads `HOST` or `HOST:PORT` as it stands in a request.
    ///
    /// @param usual the port if none is named; 0 if one must be
    /// @throws BadRequest if it is none, or can be read in two ways
    static Destination parse(String text, int usual) {
        int colon = text.startsWith("[") ? text.indexOf("]:") + 1 : text.indexOf(':');
        boolean named = colon > 0;
        String host = named ? text.substring(0, colon) : text;
        if (host.isEmpty() || (host.indexOf(':') >= 0 && !host.startsWith("["))) {
            throw new BadRequest("not a host: " + BadRequest.shown(text));
        }
        try {
            return new Destination(
                    Host.parseLoose(host, 0),
                    named ? port(text.substring(colon + 1)) : orRefuse(usual));
        } catch (SyntaxException e) {
            throw new BadRequest(e.explanation());
        }
    }

    private static int orRefuse(int usual) {
        if (usual == 0) {
            throw new BadRequest("a port is missing");
        }
        return usual;
    }

    private static int port(String text) {
        boolean plain =
                !text.isEmpty()
                        && text.length() <= 5
                        && Text.isAll(text, c -> c >= '0' && c <= '9')
                        && text.charAt(0) != '0';
        int port = plain ? Integer.parseInt(text) : 0;
        if (port < 1 || port > 65535) {
            throw new BadRequest("not a port: " + BadRequest.shown(text));
        }
        return port;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
