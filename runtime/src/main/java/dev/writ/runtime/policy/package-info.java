// SPDX-License-Identifier: Apache-2.0

/// Policy files: reading YAML with positions, the built-in profiles, `extends`, and where links
/// lead. What the rules mean is in the core.
@NullMarked
package dev.writ.runtime.policy;

import org.jspecify.annotations.NullMarked;
