// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/// A server on this machine that answers each datagram with one.
final class Echo implements AutoCloseable {
    private final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());

    /// The lengths of what came.
    final List<Integer> came = new CopyOnWriteArrayList<>();

    Echo(UnaryOperator<byte[]> answer) throws IOException {
        Thread.ofPlatform().daemon().start(() -> serve(answer));
    }

    InetSocketAddress address() {
        return new InetSocketAddress(socket.getLocalAddress(), socket.getLocalPort());
    }

    private void serve(UnaryOperator<byte[]> answer) {
        var packet = new DatagramPacket(new byte[65536], 65536);
        try {
            while (true) {
                packet.setLength(65536);
                socket.receive(packet);
                came.add(packet.getLength());
                var asked = Arrays.copyOf(packet.getData(), packet.getLength());
                var bytes = answer.apply(asked);
                socket.send(new DatagramPacket(bytes, bytes.length, packet.getSocketAddress()));
            }
        } catch (IOException e) {
            // closed at the end of the test
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
