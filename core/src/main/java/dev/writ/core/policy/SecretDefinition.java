// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Secret;
import dev.writ.core.capability.SecretForm;
import dev.writ.core.capability.SecretSource;
import java.util.Optional;

/// Where a secret comes from, where it may go, and how it is put in. The value itself is nowhere in
/// a policy.
///
/// @param to the grant: its name and its destination
/// @param variable in which a program finds what stands for the value
public record SecretDefinition(
        SecretSource from, Secret to, SecretForm as, Optional<String> variable) {
    public String name() {
        return to.name();
    }
}
