// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.core.capability.FilePath;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.runtime.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// What a sandbox of processes costs, side by side with none and with bubblewrap. All from one warm
/// JVM.
final class ProcessBench {
    private static final List<String> SECTIONS =
            List.of("spawn", "open", "work", "record", "crowd");
    private static final String PLAIN = "unconfined";
    private static final String KERNEL = "kernel speed";
    private static final String JUDGED = "judged (workspace)";
    private static final int OPENS = 20_000;
    private static final int WARM_STARTS = 3000;
    private static final int CROWD = 1000;

    private final ProcessWorld world;

    private ProcessBench(ProcessWorld world) {
        this.world = world;
    }

    /// Measures the named sections, or all of them.
    static void run(List<String> names) throws Exception {
        try (var world = new ProcessWorld()) {
            var bench = new ProcessBench(world);
            bench.warmUp();
            Rounds.header();
            for (var section : names.isEmpty() ? SECTIONS : names) {
                switch (section) {
                    case "spawn" -> bench.spawn();
                    case "open" -> bench.open();
                    case "work" -> bench.work();
                    case "record" -> bench.record();
                    case "crowd" -> bench.crowd();
                    default -> throw new IllegalArgumentException("no such section: " + section);
                }
            }
        }
    }

    /// Warm is when the compiler has come to rest: until then it takes one of the processors from
    /// what is measured.
    private void warmUp() throws InterruptedException {
        try (var kernel = world.kernelSpeed();
                var judged = world.judged()) {
            for (int i = 0; i < WARM_STARTS; i++) {
                confinedTrue(kernel);
                confinedTrue(judged);
            }
        }
    }

    /// A program that does nothing, from its start to its end.
    private void spawn() throws Exception {
        var kernel = world.kernelSpeed();
        var judged = world.judged();
        var rounds =
                new Rounds("start /bin/true", "ms", 301)
                        .add("ProcessBuilder", Rounds.timed(() -> plainTrue("/bin/true")))
                        .add(KERNEL, Rounds.timed(() -> confinedTrue(kernel)))
                        .add(JUDGED, Rounds.timed(() -> confinedTrue(judged)));
        if (ProcessWorld.has("bwrap")) {
            rounds.add(
                    "bubblewrap",
                    Rounds.timed(
                            () ->
                                    plainTrue(
                                            "bwrap --ro-bind / / --tmpfs /tmp --dev /dev --proc"
                                                    + " /proc --unshare-all --die-with-parent --"
                                                    + " /bin/true")));
        }
        rounds.print(150);
    }

    private static double plainTrue(String command) throws IOException, InterruptedException {
        return new ProcessBuilder(command.split(" ")).start().waitFor();
    }

    private static double confinedTrue(Session session) throws InterruptedException {
        try (var sandbox = start(session, "/bin/true")) {
            if (sandbox.await() != 0) {
                throw new IllegalStateException("/bin/true failed");
            }
        }
        return 0;
    }

    private static Sandbox start(Session session, String... command) {
        return session.start(FilePath.of(command[0]), List.of(command), Streams.PIPED);
    }

    /// One open and close, many times, timed by the program that does it.
    private void open() throws Exception {
        List<String> command = opener();
        new Rounds("open and close", "us", 9)
                .add(PLAIN, () -> Double.parseDouble(world.plain(command).strip()))
                .add(KERNEL, () -> opened(world.kernelSpeed(), command))
                .add(JUDGED, () -> opened(world.judged(), command))
                .print(3);
    }

    private static double opened(Session session, List<String> command)
            throws InterruptedException {
        return Double.parseDouble(ProcessWorld.confined(session, command).strip());
    }

    private List<String> opener() throws Exception {
        world.write("data/one/file", "x");
        String file = world.folder.resolve("data/one/file").toString();
        if (!ProcessWorld.has("gcc")) {
            var code =
                    "import os,sys,time\nt=time.time_ns()\nfor i in range(%d):\n"
                            + " os.close(os.open(sys.argv[1],os.O_RDONLY))\n"
                            + "print((time.time_ns()-t)/%d/1000)\n";
            return List.of(
                    "/usr/bin/python3", "-c", String.format(Locale.ROOT, code, OPENS, OPENS), file);
        }
        world.write(
                "open.c",
                """
                #include <fcntl.h>
                #include <stdio.h>
                #include <time.h>
                #include <unistd.h>

                int main(int count, char **words) {
                    struct timespec a, b;
                    clock_gettime(CLOCK_MONOTONIC, &a);
                    for (int i = 0; i < COUNT; i++) {
                        int file = open(words[1], O_RDONLY | O_CLOEXEC);
                        if (file < 0) {
                            return 1;
                        }
                        close(file);
                    }
                    clock_gettime(CLOCK_MONOTONIC, &b);
                    double all = (b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) / 1e3;
                    printf("%f\\n", all / COUNT);
                    return 0;
                }
                """
                        .replace("COUNT", "" + OPENS));
        world.plain(List.of("/usr/bin/gcc", "-O1", "-o", "open", "open.c"));
        return List.of(world.folder.resolve("open").toString(), file);
    }

    /// Ordinary work, whole commands.
    private void work() throws Exception {
        if (ProcessWorld.has("git")) {
            repository();
            compare("git status", 41, "/usr/bin/git", "-C", "repository", "status");
        }
        if (ProcessWorld.has("gcc")) {
            compare("gcc of 20 small files", 9, smallSources());
            compare("gcc -O2 of 20 files", 9, ordinarySources());
        }
        world.tree("tree", 2000, 20_000);
        compare("tar of 40 MB", 21, "/usr/bin/tar", "-cf", "tree.tar", "tree");
        if (ProcessWorld.has("python3")) {
            var code =
                    "import json\nd={str(i):[i,i/7,str(i)] for i in range(2000)}\n"
                            + "for i in range(%d): d=json.loads(json.dumps(d))\n";
            compare("python json", 9, "/usr/bin/python3", "-c", code.formatted(60));
            compare("python json, 10 times", 9, "/usr/bin/python3", "-c", code.formatted(600));
        }
    }

    /// What it costs that a build is recorded on the disk.
    private void record() throws Exception {
        if (ProcessWorld.has("gcc")) {
            record("gcc of 20 small files", List.of(smallSources()));
            record("gcc -O2 of 20 files", List.of(ordinarySources()));
        }
    }

    private void record(String what, List<String> command) throws Exception {
        for (boolean judged : new boolean[] {false, true}) {
            var forgotten = judged ? world.judged() : world.kernelSpeed();
            var recorded = world.recorded(judged);
            new Rounds(what + (judged ? ", judged" : ", kernel speed"), "ms", 21)
                    .add("in memory", Rounds.timed(() -> confined(forgotten, command)))
                    .add("recorded", Rounds.timed(() -> confined(recorded, command)))
                    .print(5);
        }
    }

    private void repository() throws Exception {
        world.tree("repository", 5000, 400);
        String[] git = {"/usr/bin/git", "-C", "repository", "-c", "user.name=a"};
        for (var command :
                List.of("init -q", "add .", "-c user.email=a@localhost commit -q -m all")) {
            world.plain(Stream.concat(Stream.of(git), Stream.of(command.split(" "))).toList());
        }
    }

    /// 20 files with `functions` each, and the command that compiles them.
    private String[] sources(int functions, String level) throws IOException {
        for (int i = 0; i < 20; i++) {
            var text =
                    new StringBuilder(
                            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n");
            for (int f = 0; f < functions; f++) {
                text.append(
                        """
                        int f%d_%d(const char *text, int more) {
                            char *copy = malloc(strlen(text) + more + 1);
                            strcpy(copy, text);
                            for (int i = 0; i < more; i++) {
                                strcat(copy, copy[i] == 'x' ? "y" : "x");
                            }
                            int written = printf("%%s\\n", copy);
                            free(copy);
                            return written;
                        }
                        """
                                .formatted(i, f));
            }
            world.write(functions + "f" + i + ".c", text.toString());
        }
        return Stream.concat(
                        Stream.of("/usr/bin/gcc", level, "-c"),
                        IntStream.range(0, 20).mapToObj(i -> functions + "f" + i + ".c"))
                .toArray(String[]::new);
    }

    /// As small as files can be: nothing but the starts of the compiler.
    private String[] smallSources() throws IOException {
        return sources(1, "-O0");
    }

    /// Files of 500 lines.
    private String[] ordinarySources() throws IOException {
        return sources(50, "-O2");
    }

    private void compare(String what, int rounds, String... words) throws Exception {
        var command = List.of(words);
        var kernel = world.kernelSpeed();
        var judged = world.judged();
        new Rounds(what, "ms", rounds)
                .add(PLAIN, Rounds.timed(() -> world.plain(command).length()))
                .add(KERNEL, Rounds.timed(() -> confined(kernel, command)))
                .add(JUDGED, Rounds.timed(() -> confined(judged, command)))
                .print(rounds);
    }

    private static double confined(Session session, List<String> command)
            throws InterruptedException {
        return ProcessWorld.confined(session, command).length();
    }

    /// Many sandboxes at once, each its own, with a process in it that waits.
    private void crowd() throws Exception {
        for (int i = 0; i < 300; i++) {
            confinedTrue(world.judged());
        }
        var before = Footprint.now();
        var sandboxes = new ArrayList<Sandbox>();
        long start = System.nanoTime();
        for (int i = 0; i < CROWD; i++) {
            sandboxes.add(start(world.judged(), "/usr/bin/sleep", "600"));
        }
        long started = System.nanoTime();
        var during = Footprint.now();
        int alive = children();
        long close = System.nanoTime();
        for (var sandbox : sandboxes) {
            sandbox.stop();
        }
        for (var sandbox : sandboxes) {
            sandbox.close();
        }
        long closed = System.nanoTime();
        sandboxes.clear();
        var after = Footprint.now();
        System.out.printf(
                Locale.ROOT,
                "crowd: %d sandboxes started in %.1f s, %d processes alive, closed in %.1f s, %d"
                        + " left%n",
                CROWD,
                (started - start) / 1e9,
                alive,
                (closed - close) / 1e9,
                children());
        System.out.printf(
                Locale.ROOT,
                "crowd: for each sandbox %.0f KB resident (Pss %.0f KB), %.2f threads, %.2f"
                        + " descriptors; %d threads and %d descriptors stayed behind%n",
                (during.resident() - before.resident()) / (double) CROWD,
                (during.share() - before.share()) / (double) CROWD,
                (during.threads() - before.threads()) / (double) CROWD,
                (during.descriptors() - before.descriptors()) / (double) CROWD,
                after.threads() - before.threads(),
                after.descriptors() - before.descriptors());
    }

    /// How many processes this one has started that are still there.
    private static int children() {
        return (int) ProcessHandle.current().descendants().count();
    }
}
