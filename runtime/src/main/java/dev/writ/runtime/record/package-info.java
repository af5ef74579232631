// SPDX-License-Identifier: Apache-2.0

/// The record that an installation keeps: a log of each session, one log in which the heads of
/// those are anchored, the keys that sign them, and an attestation of each session.
@NullMarked
package dev.writ.runtime.record;

import org.jspecify.annotations.NullMarked;
