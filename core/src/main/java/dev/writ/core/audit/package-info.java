// SPDX-License-Identifier: Apache-2.0

/// What happened. The event vocabulary and the port through which events are written; how they are
/// kept belongs elsewhere.
@NullMarked
package dev.writ.core.audit;

import org.jspecify.annotations.NullMarked;
