// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/// Asks one server for the same thing again and again, over one of the ways to it.
final class HttpLoad {
    private static final int THREADS = 8;

    /// It is measured how fast they are, not who.
    private static final SSLContext TRUSTING = trusting();

    /// Makes connections, each ready for a request.
    interface Dial {
        Socket connect() throws IOException;
    }

    private final Dial dial;
    private final byte[] request;

    /// @param target as it stands in the request: a path, or for a proxy the whole URL
    /// @param more headers, each with its end of line
    HttpLoad(Dial dial, String host, String target, String more) {
        this.dial = dial;
        this.request =
                ("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
    }

    static Socket plain(int port) throws IOException {
        var socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setReuseAddress(true);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    /// TLS over `socket`, with whoever answers.
    static Socket secure(Socket socket) throws IOException {
        var secured =
                (SSLSocket)
                        TRUSTING.getSocketFactory()
                                .createSocket(socket, "127.0.0.1", socket.getPort(), true);
        secured.startHandshake();
        return secured;
    }

    private static SSLContext trusting() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(
                    null,
                    new TrustManager[] {
                        new X509TrustManager() {
                            @Override
                            public void checkClientTrusted(X509Certificate[] chain, String type) {}

                            @Override
                            public void checkServerTrusted(X509Certificate[] chain, String type) {}

                            @Override
                            public X509Certificate[] getAcceptedIssuers() {
                                return new X509Certificate[0];
                            }
                        }
                    },
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Requests per second, over connections that stay as long as the other side lets them.
    double kept(int seconds) throws Exception {
        return together(
                () -> {
                    long end = System.nanoTime() + seconds * 1_000_000_000L;
                    long count = 0;
                    while (System.nanoTime() < end) {
                        try (var socket = dial.connect()) {
                            var in = new BufferedInputStream(socket.getInputStream(), 16384);
                            while (ask(socket, in) && System.nanoTime() < end) {
                                count++;
                            }
                        }
                    }
                    return count / (double) seconds;
                });
    }

    /// Whether there was an answer. Some end a connection without having said so.
    private boolean ask(Socket socket, InputStream in) throws IOException {
        try {
            socket.getOutputStream().write(request);
            in.mark(1);
            if (in.read() < 0) {
                return false;
            }
            in.reset();
        } catch (SocketException e) {
            return false;
        }
        skip(in, head(in));
        return true;
    }

    /// One request over a connection of its own; how many bytes came.
    long one() throws IOException {
        try (var socket = dial.connect()) {
            socket.getOutputStream().write(request);
            var in = new BufferedInputStream(socket.getInputStream(), 1 << 18);
            long length = head(in);
            skip(in, length);
            return length;
        }
    }

    /// The median of a request's time over one connection that stays, in milliseconds.
    double latency(int count) throws IOException {
        double[] taken = new double[count];
        try (var socket = dial.connect()) {
            var in = new BufferedInputStream(socket.getInputStream(), 16384);
            for (int i = 0; i < count; i++) {
                long start = System.nanoTime();
                socket.getOutputStream().write(request);
                skip(in, head(in));
                taken[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        Arrays.sort(taken);
        return taken[count / 2];
    }

    private static double together(Callable<Double> work) throws Exception {
        try (var threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<Double>> results = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                results.add(threads.submit(work));
            }
            double sum = 0;
            for (var result : results) {
                sum += result.get();
            }
            return sum;
        }
    }

    /// Reads the head of an answer, which must be a good one, and gives the length of its body.
    static long head(InputStream in) throws IOException {
        var line = line(in);
        if (!line.startsWith("HTTP/1.1 200") && !line.startsWith("HTTP/1.0 200")) {
            throw new IOException("not a good answer: " + line);
        }
        long length = 0;
        while (!(line = line(in)).isEmpty()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Long.parseLong(line.substring(15).strip());
            }
        }
        return length;
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder(64);
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("no whole answer: " + line);
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private static void skip(InputStream in, long length) throws IOException {
        byte[] room = new byte[(int) Math.min(length, 1 << 18)];
        for (long left = length; left > 0; ) {
            int read = in.read(room, 0, (int) Math.min(left, room.length));
            if (read < 0) {
                throw new EOFException(left + " bytes of an answer are missing");
            }
            left -= read;
        }
    }
}
