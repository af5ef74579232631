// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import java.util.Optional;
import java.util.function.Function;

/// No product at all: what the cases get through without one. Each is a positive control.
public final class NaiveHarness implements Harness {
    public NaiveHarness() {}

    @Override
    public String name() {
        return "none";
    }

    @Override
    public Optional<Function<Surroundings, Proxy>> proxy() {
        return Optional.of(NaiveProxy::new);
    }

    @Override
    public Optional<Function<Place, Audit>> audit() {
        return Optional.of(NaiveAudit::new);
    }

    @Override
    public Optional<Function<Place, Tokens>> tokens() {
        return Optional.of(NaiveTokens::new);
    }
}
