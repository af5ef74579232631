// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/// A run of which the host has seen nothing but the output.
record PrintedOnly(String output) implements Evidence {
    @Override
    public long outputBytes() {
        return output.length();
    }

    @Override
    public Duration elapsed() {
        return Duration.ZERO;
    }

    @Override
    public String fill(String text) {
        return text;
    }

    @Override
    public String secret(CanarySecret secret) {
        return secret.spelling();
    }

    @Override
    public FileState before(Path path) {
        throw new IllegalStateException();
    }

    @Override
    public boolean heard(Ear ear) {
        return false;
    }

    @Override
    public boolean isCanaryGone() {
        return false;
    }

    @Override
    public int canaryNiceness() throws IOException {
        throw new IOException("no canary");
    }

    @Override
    public int canaryOomAdjustment() throws IOException {
        throw new IOException("no canary");
    }

    @Override
    public String terminalInput() throws IOException {
        throw new IOException("no terminal");
    }

    @Override
    public String terminalOutput() throws IOException {
        throw new IOException("no terminal");
    }

    @Override
    public boolean unpack(Path archive) {
        return false;
    }
}
