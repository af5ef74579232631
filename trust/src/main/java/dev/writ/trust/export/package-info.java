// SPDX-License-Identifier: Apache-2.0

/// Events in the words of others. One event in, one line out.
@NullMarked
package dev.writ.trust.export;

import org.jspecify.annotations.NullMarked;
