// SPDX-License-Identifier: Apache-2.0
/// The folders, canaries and accounts that one case is played with, and how all of it goes away.
@NullMarked
package dev.writ.conformance.stage;

import org.jspecify.annotations.NullMarked;
