// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/// Programs that listen on ports and reach others.
final class PortScripts {
    private static final String START =
            """
            import errno, os, socket, sys, threading, time
            def listen(at=('127.0.0.1', 0), family=socket.AF_INET, share=False):
                s = socket.socket(family)
                s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if share: s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                s.bind(at)
                s.listen()
                return s
            def reach(name, host, port, family=socket.AF_INET, wait=True):
                s = socket.socket(family)
                if not wait: s.settimeout(5)
                try:
                    s.connect((host, port))
                    print(name, 'ok', flush=True)
                except OSError as e: print(name, errno.errorcode[e.errno], flush=True)
                return s
            """;

    private PortScripts() {}

    static Object[] python(String source, Object... words) {
        var command = new Object[3 + words.length];
        command[0] = "/usr/bin/python3";
        command[1] = "-c";
        command[2] = START + source;
        System.arraycopy(words, 0, command, 3, words.length);
        return command;
    }

    static int freePort() throws IOException {
        try (var free = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }
}
