// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

/// What comes before the body of a request, whichever protocol it is in.
public interface Head extends Fields {
    /// Path and query.
    String target();

    void target(String target);
}
