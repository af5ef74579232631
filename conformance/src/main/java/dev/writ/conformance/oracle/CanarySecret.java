// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

/// The secrets of a case. Each is new for every run, and none is told to the probe.
public enum CanarySecret {
    /// In the forbidden files, and in the canary process.
    SECRET("secret"),
    /// In the command line of the canary process, and in the file that appears late.
    SECOND("second-secret"),
    /// In the environment of the launcher.
    LAUNCHER("launcher-secret"),
    /// What an egress proxy puts in for the agent.
    PROXY("proxy-secret"),
    /// In the memory of a process that is cloned.
    MEMORY("memory-secret");

    private final String spelling;

    CanarySecret(String spelling) {
        this.spelling = spelling;
    }

    public String spelling() {
        return spelling;
    }
}
