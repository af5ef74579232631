// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Address;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Host;
import dev.writ.core.policy.Passage;
import dev.writ.core.sandbox.Proxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A way out that leads nowhere: whoever comes is told where it was meant to go, by HTTP.
final class TestProxy implements Proxy {
    private static final long FIRST = 0xC612_0000L;
    private static final int MOST_BYTES = 1_000_000;

    private final ServerSocket server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    private final Map<InetSocketAddress, String> expected = new ConcurrentHashMap<>();
    private final Map<Long, String> names = new ConcurrentHashMap<>();
    final Map<FilePath, byte[]> instead = new HashMap<>();

    /// What else there is instead of a file, made of what is in it.
    Function<Path, Optional<byte[]>> reading = _ -> Optional.empty();

    /// `host:port`, and `!` if the connection itself was not judged, of each that came.
    final List<String> came = new CopyOnWriteArrayList<>();

    /// Where somebody came from without having been announced.
    final List<InetSocketAddress> strangers = new CopyOnWriteArrayList<>();

    /// The names that were asked for.
    final List<String> asked = new CopyOnWriteArrayList<>();

    TestProxy() throws IOException {
        Thread.ofPlatform().daemon().start(this::accept);
    }

    private void accept() {
        try {
            while (true) {
                var socket = server.accept();
                Thread.ofPlatform().daemon().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed at the end of the test
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var from = (InetSocketAddress) socket.getRemoteSocketAddress();
            var meant = expected.get(from);
            if (meant == null) {
                strangers.add(from);
                return;
            }
            came.add(meant);
            expected.remove(from);
            if (socket.getInputStream().read(new byte[65536]) > 0) {
                var text =
                        "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                                .formatted(meant.length(), meant);
                socket.getOutputStream().write(text.getBytes(UTF_8));
            }
        } catch (IOException e) {
            // it is gone
        }
    }

    @Override
    public InetSocketAddress address() {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    @Override
    public boolean isAt(int port) {
        return port == server.getLocalPort();
    }

    @Override
    public void expect(InetSocketAddress from, Host host, int port, Passage passage) {
        expected.put(from, host + ":" + port + (passage == Passage.REQUESTS ? "!" : ""));
    }

    @Override
    public void forget(InetSocketAddress from) {
        expected.remove(from);
    }

    /// Waits a while until all have come who were announced; how many have not.
    int awaited() throws InterruptedException {
        for (int i = 0; i < 200 && !expected.isEmpty(); i++) {
            Thread.sleep(25);
        }
        return expected.size();
    }

    /// Where datagrams go that may go, whatever their destination; null for nowhere.
    volatile @Nullable InetSocketAddress correspondent;

    /// `host:port up down` of each way for datagrams that was closed.
    final List<String> corresponded = new CopyOnWriteArrayList<>();

    @Override
    public Optional<Way> datagrams(Host host, int port) {
        var there = correspondent;
        return there == null
                ? Optional.empty()
                : Optional.of(new Corresponding(host + ":" + port, there));
    }

    private final class Corresponding implements Way {
        private final String name;
        private final InetSocketAddress there;
        private final AtomicInteger up = new AtomicInteger();
        private final AtomicInteger down = new AtomicInteger();

        Corresponding(String name, InetSocketAddress there) {
            this.name = name;
            this.there = there;
        }

        @Override
        public InetSocketAddress address() {
            return there;
        }

        @Override
        public boolean mayLeave(int bytes) {
            return up.addAndGet(bytes) <= MOST_BYTES;
        }

        @Override
        public boolean mayReturn(int bytes) {
            return down.addAndGet(bytes) <= MOST_BYTES;
        }

        @Override
        public boolean isIdle() {
            return false;
        }

        @Override
        public void close() {
            corresponded.add(name + " " + up + " " + down);
        }
    }

    /// Names that end in `.test` exist.
    @Override
    public Optional<byte[]> answer(byte[] question) {
        int end = 12;
        var name = new StringBuilder();
        while (question[end] != 0) {
            name.append(name.isEmpty() ? "" : ".")
                    .append(new String(question, end + 1, question[end], ISO_8859_1));
            end += question[end] + 1;
        }
        asked.add(name.toString().toLowerCase(Locale.ROOT));
        boolean known = name.toString().toLowerCase(Locale.ROOT).endsWith(".test");
        boolean address = known && question[end + 2] == 1;
        var out = ByteBuffer.allocate(end + 5 + (address ? 16 : 0));
        out.put(question, 0, end + 5);
        out.putShort(2, (short) (known ? 0x8180 : 0x8183));
        out.putShort(6, (short) (address ? 1 : 0)).putInt(8, 0);
        if (address) {
            out.putLong(0xc00c_0001_0001_0000L).putShort((short) 60).putShort((short) 4);
            out.putInt((int) number(name.toString().toLowerCase(Locale.ROOT)));
        }
        return Optional.of(out.array());
    }

    /// Gives `name` an address: the first is 198.18.0.1.
    void standsFor(String name) {
        number(name);
    }

    private synchronized long number(String name) {
        for (var known : names.entrySet()) {
            if (known.getValue().equals(name)) {
                return known.getKey();
            }
        }
        long number = FIRST + names.size() + 1;
        names.put(number, name);
        return number;
    }

    @Override
    public Host meant(Address address) {
        var name = names.get(address.low());
        return name == null || address.isV6() ? new Host.Literal(address) : Host.parse(name, 0);
    }

    @Override
    public boolean replacesFiles() {
        return !instead.isEmpty();
    }

    @Override
    public Optional<byte[]> instead(FilePath file, Path object) {
        var known = Optional.ofNullable(instead.get(file));
        return known.isPresent() ? known : reading.apply(object);
    }

    @Override
    public Map<String, String> environment() {
        return Map.of();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
