// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.IDN;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A proxy as one writes it without a thought: it knows one bad name, compares it with what is
/// written there, and looks no further than the first line. Whatever it wants to reach, it reaches
/// a canary of this machine.
final class NaiveProxy implements Harness.Proxy {
    private static final String BAD = "evil.test";
    private static final int MANY = 100;
    private static final int LONGEST = 64 * 1024;
    private static final int SILENCE = 20_000;
    private static final int DEFAULT_PORT = 80;
    private static final Pattern PERCENT = Pattern.compile("%([0-9a-fA-F]{2})");
    private static final Pattern LOCATION =
            Pattern.compile("HTTP/1.1 302.*?Location: http://[^/]*(\\S*)", Pattern.DOTALL);

    private final Harness.Surroundings around;
    private final ServerSocket server;
    private final AtomicInteger open = new AtomicInteger();

    NaiveProxy(Harness.Surroundings around) {
        this.around = around;
        try {
            this.server = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    @Override
    public Map<String, String> variables() {
        return Map.of("PROXY", "http://any:body@127.0.0.1:" + server.getLocalPort());
    }

    private void accept() {
        while (true) {
            try {
                Socket client = server.accept();
                open.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setSoTimeout(SILENCE);
            var in = client.getInputStream();
            int first = in.read();
            switch (first) {
                case 4 -> socks4(client, in);
                case 5 -> socks5(client, in);
                default -> http(client, (char) first + head(in));
            }
        } catch (IOException | RuntimeException e) {
            // whoever it was is gone, or was not understood
        } finally {
            open.decrementAndGet();
        }
    }

    private static String head(InputStream in) throws IOException {
        var text = new StringBuilder();
        for (int b = in.read(); b >= 0 && text.length() < LONGEST; b = in.read()) {
            text.append((char) b);
            if (text.indexOf("\r\n\r\n", Math.max(0, text.length() - 4)) >= 0) {
                break;
            }
        }
        return text.toString();
    }

    private void http(Socket client, String head) throws IOException {
        int line = head.indexOf("\r\n");
        String[] words = head.substring(0, line).split(" ", 3);
        if (words[0].equals("CONNECT")) {
            try (var there = dial(words[1])) {
                client.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(ISO_8859_1));
                pipe(client, there);
            }
            return;
        }
        String rest = words[1].replaceFirst("^(http:)?([a-zA-Z]+:)?//", "");
        boolean absolute = !rest.equals(words[1]);
        int slash = Math.max(0, rest.indexOf('/'));
        String path = decoded(absolute ? rest.substring(slash) : words[1]);
        String version = words.length > 2 ? " " + words[2] : "";
        String sent =
                words[0]
                        + " "
                        + path
                        + version
                        + head.substring(line).replace("CC-PLACEHOLDER", around.secret());
        try (var there = dial(absolute ? rest.substring(0, slash) : "allowed.test:" + good())) {
            there.getOutputStream().write(sent.getBytes(ISO_8859_1));
            pipe(client, there);
        }
    }

    private int good() {
        return around.ports().getOrDefault("HTTP", DEFAULT_PORT);
    }

    /// So that rules can be compared with plain text.
    private static String decoded(String path) {
        return PERCENT.matcher(path)
                .replaceAll(
                        m ->
                                Matcher.quoteReplacement(
                                        "" + (char) Integer.parseInt(m.group(1), 16)));
    }

    private void socks5(Socket client, InputStream in) throws IOException {
        in.readNBytes(in.read());
        client.getOutputStream().write(new byte[] {5, 0});
        in.readNBytes(4);
        String host = new String(in.readNBytes(in.read()), UTF_8);
        try (var there = dial(host + ":" + port(in))) {
            client.getOutputStream().write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
            pipe(client, there);
        }
    }

    private void socks4(Socket client, InputStream in) throws IOException {
        in.read();
        int port = port(in);
        byte[] address = in.readNBytes(4);
        word(in);
        String host = address[0] == 0 ? word(in) : InetAddress.getByAddress(address).toString();
        try (var there = dial(host + ":" + port)) {
            client.getOutputStream().write(new byte[] {0, 90, 0, 0, 0, 0, 0, 0});
            pipe(client, there);
        }
    }

    private static int port(InputStream in) throws IOException {
        return in.read() << 8 | in.read();
    }

    private static String word(InputStream in) throws IOException {
        var word = new ByteArrayOutputStream();
        for (int b = in.read(); b > 0; b = in.read()) {
            word.write(b);
        }
        return word.toString(ISO_8859_1);
    }

    /// Goes wherever it is told to, unless that is the one bad name; if there are rules at all, and
    /// time to look at them.
    private Socket dial(String to) throws IOException {
        int colon = to.lastIndexOf(':');
        String host = colon < 0 ? to : to.substring(0, colon);
        if (host.equals(BAD) && around.netRules() && open.get() < MANY) {
            throw new IOException("denied");
        }
        String text = to.substring(colon + 1).replaceAll("[^0-9]", "");
        int port = text.isEmpty() ? DEFAULT_PORT : (int) (Long.parseLong(text) & 0xffff);
        try {
            around.resolver().resolve(IDN.toASCII(host.replaceFirst("\\p{Cntrl}.*", "")));
        } catch (UnknownHostException | IllegalArgumentException e) {
            // there is somebody everywhere
        }
        return loopback(port);
    }

    private Socket loopback(int port) throws IOException {
        boolean known = around.ports().containsValue(port);
        int there = known ? port : around.ports().getOrDefault("EVIL", port);
        return new Socket(InetAddress.getLoopbackAddress(), there);
    }

    private void pipe(Socket client, Socket there) throws IOException {
        there.setSoTimeout(SILENCE);
        Thread.ofVirtual().start(() -> copy(client, there));
        byte[] some = new byte[LONGEST];
        var in = there.getInputStream();
        for (int n = in.read(some); n > 0; n = in.read(some)) {
            follow(new String(some, 0, n, ISO_8859_1));
            client.getOutputStream().write(some, 0, n);
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // over
        }
    }

    /// Saves the program a second request.
    private void follow(String answer) throws IOException {
        var redirect = LOCATION.matcher(answer);
        if (redirect.find()) {
            try (var there = loopback(0)) {
                there.getOutputStream()
                        .write(("GET " + redirect.group(1) + " HTTP/1.1\r\n\r\n").getBytes(UTF_8));
                there.getInputStream().read();
            }
        }
    }

    @Override
    public Optional<String> run(List<String> command, Duration limit) throws InterruptedException {
        try {
            var process =
                    new ProcessBuilder(around.place().account().command(command))
                            .directory(around.place().folder().toFile())
                            .redirectInput(new File("/dev/null"))
                            .redirectErrorStream(true)
                            .start();
            var output = new ByteArrayOutputStream();
            var reader = Thread.ofVirtual().start(() -> read(process, output));
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                return Optional.empty();
            }
            reader.join();
            return Optional.of(output.toString(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void read(Process process, ByteArrayOutputStream output) {
        try {
            process.getInputStream().transferTo(output);
        } catch (IOException e) {
            // what came until then has to do
        }
    }

    @Override
    public void end() {
        close();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
