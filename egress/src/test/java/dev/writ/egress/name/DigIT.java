// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.name;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A second opinion on the answers: dig reads every byte of them, and complains.
class DigIT {
    private static final Path DIG = Path.of("/usr/bin/dig");

    private final Names names = new Names(host -> host.toString().equals("api.example.com"));

    private void serve(DatagramSocket socket) {
        try {
            while (true) {
                var packet = new DatagramPacket(new byte[4096], 4096);
                socket.receive(packet);
                byte[] question = Arrays.copyOf(packet.getData(), packet.getLength());
                byte[] answer = names.answer(question).orElseThrow();
                socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            }
        } catch (IOException e) {
            // closed at the end of the test
        }
    }

    private String dig(String... words) throws Exception {
        assumeTrue(Files.isExecutable(DIG), "needs dig");
        try (var socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(socket));
            var command =
                    new ArrayList<>(
                            List.of(
                                    DIG.toString(),
                                    "@127.0.0.1",
                                    "-p",
                                    "" + socket.getLocalPort()));
            command.addAll(List.of(words));
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        }
    }

    @Test
    void known_names_have_one_address_and_nothing_else() throws Exception {
        assertThat(dig("api.example.com"))
                .contains("status: NOERROR", "IN\tA\t198.18.0.1", "EDNS: version: 0")
                .doesNotContain("WARNING", "malformed");
        assertThat(dig("+noedns", "+short", "aPi.eXample.com")).isEqualTo("198.18.0.1\n");
        assertThat(dig("-t", "AAAA", "api.example.com"))
                .contains("status: NOERROR", "ANSWER: 0")
                .doesNotContain("WARNING", "malformed");
    }

    @Test
    void other_names_do_not_exist() throws Exception {
        assertThat(dig("other.example.com")).contains("status: NXDOMAIN");
        assertThat(dig("-x", "198.18.0.1")).contains("status: NXDOMAIN");
    }

    @Test
    void what_is_not_done_is_said_to_be() throws Exception {
        assertThat(dig("-c", "CH", "-t", "TXT", "version.bind")).contains("status: NOTIMP");
        assertThat(dig("+noednsnegotiation", "+edns=1", "api.example.com"))
                .contains("status: BADVERS");
    }
}
