// SPDX-License-Identifier: Apache-2.0
/// What a product offers to the cases that need more of it than a command line.
@NullMarked
package dev.writ.conformance.harness;

import org.jspecify.annotations.NullMarked;
