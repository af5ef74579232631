// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.trust.key.SigningKey;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;

/// A program that is killed while it writes. It has one JVM ready and writes when it is told where:
/// `FOLDER THREADS`. Each acknowledged entry it says at once: `ack INDEX TEXT end`.
final class Careless {
    private Careless() {}

    public static void main(String[] words) {
        var key = SigningKey.load(Path.of(words[0]), "log.example/1");
        var out = new PrintStream(new FileOutputStream(FileDescriptor.out), false);
        say(out, "ready");
        var order = new Scanner(System.in, UTF_8).nextLine().split(" ");
        if (order[1].equals("once")) {
            for (int i = 0; i < 40; i++) {
                once(Path.of(order[0]), key, i, out);
            }
            return;
        }
        var log = Log.open(Path.of(order[0]), key, List.of(), Duration.ofSeconds(30));
        var number = new AtomicLong();
        for (int i = 0; i < Integer.parseInt(order[1]); i++) {
            var how = i % 4 == 3 ? Durability.SOON : Durability.BEFORE_EFFECT;
            Thread.ofPlatform().start(() -> write(log, how, number, out));
        }
    }

    /// As a run does to the log of its installation.
    private static void once(Path folder, SigningKey key, int i, PrintStream out) {
        String text = ProcessHandle.current().pid() + "-" + i + "-";
        try (var log = Log.open(folder, key, List.of(), Duration.ofMinutes(1))) {
            long index = log.append(text.getBytes(UTF_8), Durability.BEFORE_EFFECT);
            if (i % 2 == 1) {
                log.sign();
            }
            say(out, "ack " + index + " " + text + " end");
        }
    }

    private static void write(Log log, Durability how, AtomicLong number, PrintStream out) {
        for (int i = 0; i < 1_000_000; i++) {
            long mine = number.incrementAndGet();
            String text =
                    ProcessHandle.current().pid()
                            + "-"
                            + mine
                            + "-"
                            + "y".repeat((int) (mine * 31 % 900));
            long index = log.append(text.getBytes(UTF_8), how);
            if (how == Durability.BEFORE_EFFECT) {
                say(out, "ack " + index + " " + text + " end");
            }
            if (mine % 97 == 0) {
                log.sign();
            }
        }
    }

    /// One write for each line, so that a kill cuts between them or never mind.
    private static void say(PrintStream out, String line) {
        byte[] bytes = (line + "\n").getBytes(UTF_8);
        synchronized (out) {
            out.write(bytes, 0, bytes.length);
            out.flush();
        }
    }
}
