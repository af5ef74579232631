// SPDX-License-Identifier: Apache-2.0
/// The cases and their groups, as they are written down. Reads them; runs nothing.
@NullMarked
package dev.writ.conformance.corpus;

import org.jspecify.annotations.NullMarked;
