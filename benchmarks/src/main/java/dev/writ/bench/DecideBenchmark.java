// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.core.capability.Action;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/// How long one decision takes, for policies of different sizes.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DecideBenchmark {
    @Param({"100", "1000", "10000"})
    public int rules;

    private Policy policy;
    private Action[] actions;
    private int next;

    @Setup
    public void setUp() {
        policy = PolicyWorld.policy(rules);
        actions = PolicyWorld.actions(rules, 4096).toArray(Action[]::new);
    }

    @Benchmark
    public Decision decide() {
        return policy.decide(actions[next++ & 4095]);
    }
}
