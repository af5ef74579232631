// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Address;
import dev.writ.core.capability.Host;
import java.util.Optional;

/// Answers questions for names, and knows which address stands for which.
interface NameService {
    Optional<byte[]> answer(byte[] question);

    Host meant(Address address);

    /// No name has an address, and an address is itself.
    static NameService none() {
        return new NameService() {
            @Override
            public Optional<byte[]> answer(byte[] question) {
                return Optional.empty();
            }

            @Override
            public Host meant(Address address) {
                return new Host.Literal(address);
            }
        };
    }
}
