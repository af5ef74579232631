// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import java.util.Optional;
import java.util.function.Function;

/// Writ with the backend `process`.
public final class ProcessHarness implements Harness {
    public ProcessHarness() {}

    @Override
    public String name() {
        return "process";
    }

    @Override
    public Optional<Function<Surroundings, Proxy>> proxy() {
        return Optional.of(SessionProxy::new);
    }

    @Override
    public Optional<Function<Place, Audit>> audit() {
        return Optional.of(RecordedAudit::new);
    }

    @Override
    public Optional<Function<Place, Tokens>> tokens() {
        return Optional.of(IssuedTokens::new);
    }
}
