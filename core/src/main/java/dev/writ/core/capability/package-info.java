// SPDX-License-Identifier: Apache-2.0

/// The capability language: what an agent may want to do ([Action]), and families of such actions
/// ([Capability]). Values and functions only: no files, no sockets, no clock.
/// `docs/capabilities.md` is its specification, `vectors/` its test.
@NullMarked
package dev.writ.core.capability;

import org.jspecify.annotations.NullMarked;
