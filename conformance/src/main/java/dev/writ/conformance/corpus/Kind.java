// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

/// What a case needs of the thing it is tried against.
public enum Kind {
    /// Runs in any sandbox.
    PROBE,
    /// Runs in any sandbox, two times; the script sees `STEP` as 1, then 2.
    TWICE,
    /// Runs in a sandbox that has rules about commands.
    CMD,
    /// Needs the product's egress proxy, in front of canary servers.
    PROXY,
    /// Needs verbs of the product.
    ADAPTER,
    /// Needs the running product.
    PRODUCT,
    /// Looks at what the running product leaves on its host.
    HOST;

    /// Whether a command line is enough to try it.
    public boolean isRunnable() {
        return switch (this) {
            case PROBE, TWICE, CMD -> true;
            case PROXY, ADAPTER, PRODUCT, HOST -> false;
        };
    }
}
