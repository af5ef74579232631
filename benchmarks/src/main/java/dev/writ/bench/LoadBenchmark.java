// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.core.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/// How long it takes from a policy file on disk to a compiled policy.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class LoadBenchmark {
    @Param({"1000"})
    public int rules;

    private Path file;

    @Setup
    public void setUp() throws IOException {
        file = Files.createTempFile("writ-bench", ".yaml");
        Files.writeString(file, PolicyWorld.yaml(rules));
    }

    @TearDown
    public void tearDown() throws IOException {
        Files.delete(file);
    }

    @Benchmark
    public Policy load() {
        return PolicyWorld.load(file);
    }
}
