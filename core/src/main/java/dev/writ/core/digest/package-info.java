// SPDX-License-Identifier: Apache-2.0

/// What stands for bytes that are too many to be shown or kept.
@NullMarked
package dev.writ.core.digest;

import org.jspecify.annotations.NullMarked;
