// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/// What the way out costs, beside no proxy at all and others. All of them take turns.
final class EgressBench {
    private static final List<String> SECTIONS =
            List.of("tunnel", "requests", "tls", "latency", "idle");
    private static final int SECONDS = 3;

    /// Until then the JVM compiles more than it does.
    private static final int WARM_SECONDS = 20;

    /// What the others do not do either is to wait for a disk.
    private static final String IN_MEMORY = "the same, no disk";

    private static final int IDLE_TUNNELS = 500;
    private static final Pattern USED = Pattern.compile("total .*, used (\\d+)K");

    private final EgressWorld world;
    private final Map<String, EgressWorld.Proxy> others = new LinkedHashMap<>();

    private EgressBench(EgressWorld world) throws Exception {
        this.world = world;
        if (ProcessWorld.has("tinyproxy")) {
            others.put("tinyproxy", world.tinyproxy());
        }
        if (ProcessWorld.has("squid")) {
            others.put("squid", world.squid());
        }
    }

    /// Measures the named sections, or all of them.
    static void run(List<String> names) throws Exception {
        if (!ProcessWorld.has("nginx")) {
            System.out.println("egress: nginx is not here");
            return;
        }
        var root = Path.of(Objects.requireNonNull(System.getProperty("writ.root"), "use ./bench"));
        try (var world = new EgressWorld(root)) {
            var bench = new EgressBench(world);
            Rounds.header();
            for (var section : names.isEmpty() ? SECTIONS : names) {
                switch (section) {
                    case "tunnel" -> bench.tunnel();
                    case "requests" -> bench.requests();
                    case "tls" -> bench.tls();
                    case "latency" -> bench.latency();
                    case "idle" -> bench.idle();
                    default -> throw new IllegalArgumentException("no such section: " + section);
                }
            }
        }
    }

    private String host() {
        return "127.0.0.1:" + world.origin;
    }

    private String anything() {
        return "net:" + host();
    }

    private String judged() {
        return "net:GET=http://" + host() + "/**";
    }

    private HttpLoad direct(String path) {
        return new HttpLoad(() -> HttpLoad.plain(world.origin), host(), path, "");
    }

    /// Requests as a proxy takes them.
    private HttpLoad asked(EgressWorld.Proxy proxy, String path) {
        return new HttpLoad(
                () -> HttpLoad.plain(proxy.port()),
                host(),
                "http://" + host() + path,
                proxy.authorization());
    }

    /// Requests within a connection that a proxy has made.
    private HttpLoad tunnelled(EgressWorld.Proxy proxy, String path) {
        return new HttpLoad(() -> connect(proxy, host()), host(), path, "");
    }

    private static Socket connect(EgressWorld.Proxy proxy, String to) throws IOException {
        var socket = HttpLoad.plain(proxy.port());
        String head =
                "CONNECT "
                        + to
                        + " HTTP/1.1\r\nHost: "
                        + to
                        + "\r\n"
                        + proxy.authorization()
                        + "\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        HttpLoad.head(socket.getInputStream());
        return socket;
    }

    /// 1 GiB through a tunnel.
    private void tunnel() throws Exception {
        var rounds = new Rounds("1 GiB", "ms", 7).add("direct", large(direct("/large")));
        others.forEach((name, proxy) -> rounds.add(name, large(tunnelled(proxy, "/large"))));
        rounds.add("writ", large(tunnelled(world.writ(anything()), "/large"))).print(2);
    }

    private static Rounds.Way large(HttpLoad load) {
        return Rounds.timed(load::one);
    }

    /// Small requests over 8 connections, each of them judged.
    private void requests() throws Exception {
        for (var needed : LoadTools.NEEDED) {
            if (!ProcessWorld.has(needed)) {
                System.out.println("requests: " + needed + " is not here");
                return;
            }
        }
        var load = new LoadTools(world.folder, host());
        var writ = world.writ(judged());
        var memory = world.writInMemory(judged());
        for (var each : List.of(writ, memory)) {
            load.kept(each, WARM_SECONDS);
            load.fresh(each, WARM_SECONDS / 2);
        }
        var kept =
                new Rounds("requests, kept", "/s", 9)
                        .add("direct", () -> load.keptDirectly(SECONDS));
        var fresh =
                new Rounds("requests, new", "/s", 9)
                        .add("direct", () -> load.freshDirectly(SECONDS));
        var proxies = new LinkedHashMap<>(others);
        proxies.put("writ, judged", writ);
        proxies.put(IN_MEMORY, memory);
        proxies.forEach(
                (name, each) -> {
                    kept.add(name, () -> load.kept(each, SECONDS));
                    fresh.add(name, () -> load.fresh(each, SECONDS));
                });
        kept.print(1);
        fresh.print(1);
    }

    /// Small requests in TLS that is looked into, beside nginx doing the same for one server.
    private void tls() throws Exception {
        var writ = world.writ(inspected());
        inspected(writ).kept(WARM_SECONDS);
        var memory = world.writInMemory(inspected());
        inspected(memory).kept(WARM_SECONDS);
        new Rounds("requests in TLS, kept", "/s", 5)
                .add("nginx, TLS on both sides", () -> secure(world.terminating).kept(SECONDS))
                .add("direct", () -> secure(world.secure).kept(SECONDS))
                .add("writ, inspected", () -> inspected(writ).kept(SECONDS))
                .add(IN_MEMORY, () -> inspected(memory).kept(SECONDS))
                .print(2);
        if (ProcessWorld.has("curl")) {
            new Rounds("1 GiB in TLS", "ms", 5)
                    .add("nginx, TLS on both sides", () -> curl(world.terminating))
                    .add("direct", () -> curl(world.secure))
                    .add("writ run, inspected", this::curlInside)
                    .print(2);
        }
    }

    private double curl(int port) throws Exception {
        return world.took("curl", "-sSfk", "-o", "/dev/null", "https://127.0.0.1:" + port + "/large");
    }

    /// By a program that knows nothing of it; the start of Writ included.
    private double curlInside() throws Exception {
        return world.took(
                world.launcher(),
                "run",
                "--no-policy",
                "--profile",
                "workspace",
                "--allow",
                inspected(),
                "--allow",
                "read:" + world.folder + "/cert.pem",
                "--",
                "curl",
                "-sSf",
                "-o",
                "/dev/null",
                "https://127.0.0.1:" + world.secure + "/large");
    }

    private String inspected() {
        return "net:GET=https://127.0.0.1:" + world.secure + "/**";
    }

    private HttpLoad secure(int port) {
        return new HttpLoad(
                () -> HttpLoad.secure(HttpLoad.plain(port)), "127.0.0.1:" + port, "/small", "");
    }

    private HttpLoad inspected(EgressWorld.Proxy proxy) {
        String to = "127.0.0.1:" + world.secure;
        return new HttpLoad(() -> HttpLoad.secure(connect(proxy, to)), to, "/small", "");
    }

    private void latency() throws Exception {
        var tunnel = world.writ(anything());
        var judged = world.writ(judged());
        var inspected = world.writ(inspected());
        var rounds =
                new Rounds("a request, p50", "ms", 7)
                        .add("direct", () -> direct("/small").latency(3000));
        others.forEach((n, p) -> rounds.add(n, () -> tunnelled(p, "/small").latency(3000)));
        rounds.add("writ, tunnel", () -> tunnelled(tunnel, "/small").latency(3000))
                .add("writ, judged", () -> asked(judged, "/small").latency(3000))
                .add("TLS, direct", () -> secure(world.secure).latency(3000))
                .add("TLS, writ, inspected", () -> inspected(inspected).latency(3000))
                .print(2);
    }

    /// What the heap holds for tunnels that are open and silent. A session has at most 512
    /// connections, so there are two.
    private void idle() throws Exception {
        long before = 0;
        long after = 0;
        List<Socket> open = new ArrayList<>();
        for (int session = 0; session < 2; session++) {
            var writ = world.writ(anything());
            tunnelled(writ, "/small").one();
            before += heap(writ.process());
            for (int i = 0; i < IDLE_TUNNELS; i++) {
                open.add(connect(writ, host()));
            }
            after += heap(writ.process());
        }
        System.out.printf(
                Locale.ROOT,
                "%-22s %-34s %9.2f MB of heap, %.2f MB of it before%n",
                open.size() + " idle tunnels",
                "writ, two sessions",
                after / 1024.0,
                before / 1024.0);
        for (var socket : open) {
            socket.close();
        }
    }

    /// What is left after collecting, in KB.
    private static long heap(Process jvm) throws Exception {
        jcmd(jvm, "GC.run");
        long used = 0;
        for (var line : jcmd(jvm, "GC.heap_info")) {
            var found = USED.matcher(line);
            used += found.find() ? Long.parseLong(found.group(1)) : 0;
        }
        return used;
    }

    private static List<String> jcmd(Process jvm, String command) throws Exception {
        var tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var asked = new ProcessBuilder(tool, String.valueOf(jvm.pid()), command).start();
        var lines = asked.inputReader().lines().toList();
        if (asked.waitFor() != 0) {
            throw new IOException("jcmd " + command + " failed: " + lines);
        }
        return lines;
    }
}
