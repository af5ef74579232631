// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import java.nio.file.Path;

/// The folders of one case. The scripts know their names relative to each other.
public record Layout(Path base) {
    /// May be read and written.
    public Path workspace() {
        return base.resolve("ws");
    }

    /// Shares the workspace's name as a prefix, and nothing else.
    public Path sibling() {
        return base.resolve("ws-evil");
    }

    /// May be read.
    public Path readOnly() {
        return base.resolve("ro");
    }

    /// May not be touched.
    public Path forbidden() {
        return base.resolve("out");
    }

    /// A home that may not be touched.
    public Path home() {
        return base.resolve("home");
    }

    /// What the host side keeps for itself. No secrets in here.
    public Path host() {
        return base.resolve("host");
    }

    /// The policy file, for launchers that take one.
    public Path policy() {
        return host().resolve("policy.yaml");
    }

    /// The socket at which a harness answers.
    public Path verbs() {
        return host().resolve("verbs");
    }

    /// Where a harness works.
    public Path harness() {
        return base.resolve("harness");
    }

    /// `text` with the folders filled in.
    public String fill(String text) {
        return text.replace("{ws}", workspace().toString())
                .replace("{ro}", readOnly().toString())
                .replace("{out}", forbidden().toString())
                .replace("{home}", home().toString())
                .replace("{policy}", policy().toString());
    }
}
