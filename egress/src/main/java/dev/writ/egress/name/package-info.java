// SPDX-License-Identifier: Apache-2.0

/// Names: the answers to questions for them, and the addresses that stand for them.
@NullMarked
package dev.writ.egress.name;

import org.jspecify.annotations.NullMarked;
