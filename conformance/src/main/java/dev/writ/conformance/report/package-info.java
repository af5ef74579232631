// SPDX-License-Identifier: Apache-2.0
/// What a run found, for people and for programs. Decides nothing.
@NullMarked
package dev.writ.conformance.report;

import org.jspecify.annotations.NullMarked;
