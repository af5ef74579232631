// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

/// What the broker finally answers. The only thing that is enforced.
public sealed interface Verdict {
    Reason reason();

    /// It may happen.
    record Permitted(Reason reason) implements Verdict {}

    /// It must not happen.
    record Refused(Reason reason) implements Verdict {}
}
