// SPDX-License-Identifier: Apache-2.0

/// Certificates: those that vouch for connections which are looked at, and how programs get to
/// trust them.
@NullMarked
package dev.writ.egress.tls;

import org.jspecify.annotations.NullMarked;
