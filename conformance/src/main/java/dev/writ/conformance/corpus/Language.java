// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

/// What a script is written in.
public enum Language {
    SH("sh", "probe.sh"),
    BASH("bash", "probe.sh"),
    PYTHON("python3", "probe.py"),
    C("cc", "probe");

    private final String program;
    private final String fileName;

    Language(String program, String fileName) {
        this.program = program;
        this.fileName = fileName;
    }

    /// The interpreter, or the compiler.
    public String program() {
        return program;
    }

    /// How the probe's file is called in the workspace.
    public String fileName() {
        return fileName;
    }
}
