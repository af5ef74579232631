// SPDX-License-Identifier: Apache-2.0

/// Events as others read them: one JSON form, one bound on its size, one way to leave out what is
/// secret, and one line for people.
@NullMarked
package dev.writ.trust.event;

import org.jspecify.annotations.NullMarked;
