// SPDX-License-Identifier: Apache-2.0

/// JSON in one canonical form: what is signed, and read back, by everything here.
@NullMarked
package dev.writ.trust;

import org.jspecify.annotations.NullMarked;
