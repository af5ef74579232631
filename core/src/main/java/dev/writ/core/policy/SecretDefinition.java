// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Secret;

/// Where a secret comes from, where it may go, and how it is put in. The value itself is nowhere in
/// a policy.
///
/// @param from `env:NAME`, `file:PATH`, `command:...` or `keyring:NAME`
/// @param to the grant: its name and its destination
/// @param as the header to send, with `{}` for the value
public record SecretDefinition(String from, Secret to, String as) {
    public String name() {
        return to.name();
    }
}
