// SPDX-License-Identifier: Apache-2.0

/// Secrets: where they come from, where they are put in, and that they never come back.
@NullMarked
package dev.writ.egress.secret;

import org.jspecify.annotations.NullMarked;
