// SPDX-License-Identifier: Apache-2.0

/// Questions to the operator: one at a time, each once, and what was approved before is not asked
/// again.
@NullMarked
package dev.writ.runtime.approval;

import org.jspecify.annotations.NullMarked;
