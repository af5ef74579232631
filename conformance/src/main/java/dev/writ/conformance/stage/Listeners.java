// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import dev.writ.conformance.oracle.Ear;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Canary listeners on loopback, and who of them has heard the nonce.
final class Listeners implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMillis(700);
    private static final int SILENCE = 20_000;
    private static final int LONGEST = 4096;

    private final String nonce;
    private final Set<Ear> heard = EnumSet.noneOf(Ear.class);
    private final List<AutoCloseable> open = new ArrayList<>();
    private volatile boolean closed;

    Listeners(String nonce) {
        this.nonce = nonce;
    }

    /// Listens on TCP and gives the port.
    int tcp(Ear ear, String address) throws IOException {
        var server = new ServerSocket(0, 50, InetAddress.ofLiteral(address));
        open.add(server);
        Thread.ofVirtual().start(() -> accept(server, ear));
        return server.getLocalPort();
    }

    /// Listens on UDP and gives the port.
    int udp(Ear ear) throws IOException {
        var socket = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"));
        open.add(socket);
        Thread.ofVirtual().start(() -> receive(socket, ear));
        return socket.getLocalPort();
    }

    /// Keeps trying to reach a free port that the probe is told to open.
    int inbound() throws IOException {
        int port;
        try (var free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Thread.ofVirtual().start(() -> callIn(port));
        return port;
    }

    synchronized void hear(Ear ear) {
        heard.add(ear);
        notifyAll();
    }

    /// Whether `ear` has heard the nonce. What was sent before the run ended is in the kernel's
    /// buffers; the wait is only for our own thread to read it.
    synchronized boolean heard(Ear ear) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (!heard.contains(ear)) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return heard.contains(ear);
        }
    }

    @Override
    public void close() {
        closed = true;
        for (var socket : open) {
            try {
                socket.close();
            } catch (Exception e) {
                // nothing to do about a canary that does not close
            }
        }
    }

    private void accept(ServerSocket server, Ear ear) {
        while (!closed) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> read(socket, ear));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void read(Socket socket, Ear ear) {
        try (socket) {
            socket.setSoTimeout(SILENCE);
            var text = new StringBuilder();
            byte[] buffer = new byte[LONGEST];
            for (int n = 0; n >= 0 && text.length() < LONGEST; ) {
                text.append(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
                if (text.indexOf(nonce) >= 0) {
                    hear(ear);
                    return;
                }
                n = socket.getInputStream().read(buffer);
            }
        } catch (IOException e) {
            // a caller that says nothing has not got through
        }
    }

    private void receive(DatagramSocket socket, Ear ear) {
        var packet = new DatagramPacket(new byte[LONGEST], LONGEST);
        while (!closed) {
            try {
                socket.receive(packet);
                var text =
                        new String(
                                packet.getData(),
                                0,
                                packet.getLength(),
                                StandardCharsets.ISO_8859_1);
                if (text.contains(nonce)) {
                    hear(ear);
                }
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void callIn(int port) {
        while (!closed) {
            try (var socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), 500);
                read(socket, Ear.INBOUND);
                return;
            } catch (IOException e) {
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
