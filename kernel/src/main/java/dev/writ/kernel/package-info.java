// SPDX-License-Identifier: Apache-2.0

/// What the Linux kernel offers, one class per facility, in the words of its manual pages. The only
/// package that calls native code.
@NullMarked
package dev.writ.kernel;

import org.jspecify.annotations.NullMarked;
