// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import dev.writ.conformance.oracle.CanarySecret;
import dev.writ.conformance.oracle.Ear;
import dev.writ.conformance.oracle.Evidence;
import dev.writ.conformance.oracle.FileState;
import dev.writ.conformance.stage.Stage;
import dev.writ.conformance.stage.StagedProbe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// What the host has seen of one run on one stage.
record Observation(Stage stage, StagedProbe probe, Launch launch, Map<Path, FileState> before)
        implements Evidence {
    /// Field 19 of proc(5) `stat`, counted from the one after the name.
    private static final int NICE = 16;

    @Override
    public String output() {
        return launch.output();
    }

    @Override
    public long outputBytes() {
        return launch.outputBytes();
    }

    @Override
    public Duration elapsed() {
        return launch.elapsed();
    }

    @Override
    public String fill(String text) {
        return stage.fill(text);
    }

    @Override
    public String secret(CanarySecret secret) {
        return stage.secrets().value(secret);
    }

    @Override
    public FileState before(Path path) {
        FileState state = before.get(path);
        if (state == null) {
            throw new IllegalStateException("nobody looked at " + path + " before the run");
        }
        return state;
    }

    @Override
    public boolean heard(Ear ear) {
        return stage.heard(ear);
    }

    @Override
    public boolean isCanaryGone() {
        try {
            return canary().waitFor(500, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !canary().isAlive();
        }
    }

    @Override
    public int canaryNiceness() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + canary().pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Integer.parseInt(fields[NICE]);
    }

    @Override
    public int canaryOomAdjustment() throws IOException {
        Path file = Path.of("/proc/" + canary().pid() + "/oom_score_adj");
        return Integer.parseInt(Files.readString(file).strip());
    }

    @Override
    public String terminalInput() throws IOException {
        return read(probe.typed());
    }

    @Override
    public String terminalOutput() throws IOException {
        return read(probe.shown());
    }

    @Override
    public boolean unpack(Path archive) throws IOException, InterruptedException {
        return stage.unpack(archive);
    }

    private Process canary() {
        return stage.canary()
                .orElseThrow(() -> new IllegalStateException("the case has no canary process"));
    }

    private static String read(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new IOException("nobody watched the terminal", e);
        }
    }
}
