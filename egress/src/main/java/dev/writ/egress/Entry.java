// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Scheme;
import java.util.Optional;

/// How requests come in.
///
/// @param to where all of them have to go; empty if each names its own destination
/// @param token what each of them has to show; empty if none has to
record Entry(Optional<Destination> to, Scheme scheme, Optional<String> token) {
    static Entry to(Destination to, Scheme scheme) {
        return new Entry(Optional.of(to), scheme, Optional.empty());
    }

    static Entry explicit(String token) {
        return new Entry(Optional.empty(), Scheme.HTTP, Optional.of(token));
    }
}
