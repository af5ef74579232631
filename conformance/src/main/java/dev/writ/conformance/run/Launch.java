// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import dev.writ.conformance.corpus.Need;
import dev.writ.conformance.stage.Stage;
import dev.writ.conformance.stage.StagedProbe;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// One start of a launcher with a probe, until it is over or its time is.
///
/// @param elapsed until the launcher had ended and nobody held its output open any more
record Launch(String output, long outputBytes, Duration elapsed, boolean timedOut) {
    private static final Duration LATE = Duration.ofMillis(1600);

    static Launch start(Stage stage, StagedProbe probe, List<String> launcher, Duration limit)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(probe.command(launcher)).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(probe.environment());
        builder.directory(stage.layout().workspace().toFile());
        if (!stage.test().needs(Need.STDIN)) {
            builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        }
        Path pipe = stage.outputPipe();
        builder.redirectOutput(pipe.toFile());
        var capture = new Capture();
        capture.start(pipe);
        long start = System.nanoTime();
        Process process = builder.start();
        if (stage.test().needs(Need.LATE)) {
            Thread.ofVirtual().start(() -> appear(stage));
        }
        long end = start + limit.toNanos();
        boolean over =
                process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)
                        && capture.awaitEnd(end - System.nanoTime());
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        if (!over) {
            end(process, stage, capture);
        }
        return new Launch(capture.text(), capture.total(), elapsed, !over);
    }

    private static void end(Process process, Stage stage, Capture capture)
            throws InterruptedException {
        List<ProcessHandle> family = process.descendants().toList();
        process.destroyForcibly();
        family.forEach(ProcessHandle::destroyForcibly);
        stage.endProbe();
        process.waitFor(2, TimeUnit.SECONDS);
        capture.awaitEnd(Duration.ofSeconds(1).toNanos());
    }

    private static void appear(Stage stage) {
        try {
            Thread.sleep(LATE);
            stage.appearLate();
        } catch (IOException e) {
            // the stage is gone already: then the probe was over before
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
