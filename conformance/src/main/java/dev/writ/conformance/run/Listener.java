// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

/// Is told of each verdict as it comes, from several threads.
@FunctionalInterface
public interface Listener {
    void judged(Result result, int done, int of);
}
