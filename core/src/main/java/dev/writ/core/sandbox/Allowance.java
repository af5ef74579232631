// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

import java.util.List;

/// What the sandboxes of one session may use together, and what they have used. Made by the backend
/// that they are started with.
///
/// May be used from several threads.
public interface Allowance {
    /// What is used by now of each limit that holds for the session as a whole.
    List<Use> use();
}
