// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import java.util.List;

/// Whose questions these are: what a person has to know of a session, beside the action, to answer.
///
/// @param principal who opened the session
/// @param policy the digest of what it runs under
/// @param folder where its commands start
/// @param environment the names of the variables that they see
public record Subject(
        SessionId session,
        String principal,
        String policy,
        FilePath folder,
        List<String> environment) {
    public Subject {
        environment = environment.stream().sorted().toList();
    }
}
