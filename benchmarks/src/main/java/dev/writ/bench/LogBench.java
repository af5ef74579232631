// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.trust.key.SigningKey;
import dev.writ.trust.log.Durability;
import dev.writ.trust.log.Log;
import dev.writ.trust.log.LogVerifier;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// What the record costs: entries that are on the disk before anything happens, beside what the
/// disk itself takes, and how long it takes to verify a large log.
final class LogBench {
    private static final int SECONDS = 5;
    private static final int BYTES = 300;

    private final Path folder;
    private final SigningKey key = SigningKey.make("bench.example/log");

    private LogBench(Path folder) {
        this.folder = folder;
    }

    static void run() throws Exception {
        // In the working folder: where temporary files are kept may be memory.
        var folder = Files.createTempDirectory(Path.of("").toAbsolutePath(), ".bench-log");
        try {
            var bench = new LogBench(folder);
            System.out.printf(
                    "%-36s %12s %10s %10s%n",
                    "durable entries of " + BYTES + " B", "per second", "p50", "p99");
            for (int round = 0; round < 3; round++) {
                bench.disk();
                bench.append(1);
                bench.append(64);
            }
            bench.once();
            bench.verify();
        } finally {
            try (var paths = Files.walk(folder)) {
                paths.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
            }
        }
    }

    /// The machine's own: append and wait for the disk.
    private void disk() throws IOException {
        long[] taken = new long[2000];
        var path = folder.resolve("disk");
        try (var file = new RandomAccessFile(path.toFile(), "rw")) {
            for (int i = 0; i < taken.length; i++) {
                long start = System.nanoTime();
                file.write(new byte[BYTES]);
                file.getChannel().force(false);
                taken[i] = System.nanoTime() - start;
            }
        }
        print("write and fdatasync", taken.length, Arrays.stream(taken).sum(), taken);
    }

    private void append(int producers) throws Exception {
        var log = folder.resolve("log" + producers + "-" + System.nanoTime());
        try (var writer = Log.open(log, key);
                var threads = Executors.newFixedThreadPool(producers)) {
            long start = System.nanoTime();
            long end = start + SECONDS * 1_000_000_000L;
            var results = new ArrayList<Future<long[]>>();
            for (int i = 0; i < producers; i++) {
                results.add(threads.submit(() -> produce(writer, end)));
            }
            long[] all = new long[0];
            for (var result : results) {
                long[] some = result.get();
                int before = all.length;
                all = Arrays.copyOf(all, before + some.length);
                System.arraycopy(some, 0, all, before, some.length);
            }
            print(producers + " producers", all.length, System.nanoTime() - start, all);
        }
    }

    private static long[] produce(Log log, long end) {
        long[] taken = new long[1 << 12];
        int count = 0;
        byte[] entry = new byte[BYTES];
        for (long start = System.nanoTime(); start < end; ) {
            log.append(entry, Durability.BEFORE_EFFECT);
            long now = System.nanoTime();
            if (count == taken.length) {
                taken = Arrays.copyOf(taken, 2 * count);
            }
            taken[count++] = now - start;
            start = now;
        }
        return Arrays.copyOf(taken, count);
    }

    private static void print(String what, int count, long nanos, long[] taken) {
        Arrays.sort(taken);
        System.out.printf(
                Locale.ROOT,
                "%-36s %12.0f %7.3f ms %7.3f ms%n",
                what,
                count * 1e9 / nanos,
                taken[taken.length / 2] / 1e6,
                taken[(int) (taken.length * 0.99)] / 1e6);
    }

    /// What a run does to the log of the installation: open, one entry, close; and with a
    /// checkpoint.
    private void once() {
        var log = folder.resolve("installation");
        long[] plain = new long[300];
        long[] signed = new long[300];
        for (int i = 0; i < 300; i++) {
            long start = System.nanoTime();
            try (var writer = Log.open(log, key)) {
                writer.append(new byte[BYTES], Durability.BEFORE_EFFECT);
            }
            long middle = System.nanoTime();
            try (var writer = Log.open(log, key)) {
                writer.append(new byte[BYTES], Durability.BEFORE_EFFECT);
                writer.sign();
            }
            plain[i] = middle - start;
            signed[i] = System.nanoTime() - middle;
        }
        print("open, append, close", 300, Arrays.stream(plain).sum(), plain);
        print("open, append, sign, close", 300, Arrays.stream(signed).sum(), signed);
    }

    private void verify() {
        var log = folder.resolve("large");
        try (var writer = Log.open(log, key)) {
            for (int i = 0; i < 1_000_000; i++) {
                byte[] entry = new byte[BYTES];
                entry[0] = (byte) i;
                writer.append(entry, Durability.SOON);
            }
            writer.sign();
        }
        for (int round = 0; round < 3; round++) {
            System.gc();
            var heap =
                    ManagementFactory.getMemoryPoolMXBeans().stream()
                            .filter(pool -> pool.getType() == MemoryType.HEAP)
                            .toList();
            heap.forEach(pool -> pool.resetPeakUsage());
            long before = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
            long start = System.nanoTime();
            var verified = LogVerifier.verify(log, List.of(key.verifying()));
            double taken = (System.nanoTime() - start) / 1e9;
            long peak = heap.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
            System.out.printf(
                    Locale.ROOT,
                    "verify %,d entries: %.2f s, heap %d MB before, at most %d MB with garbage%n",
                    verified.checkpoint().size(),
                    taken,
                    before >> 20,
                    peak >> 20);
        }
    }
}
