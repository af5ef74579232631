// SPDX-License-Identifier: Apache-2.0

/// Files that keys and logs are kept in: written whole, read within bounds, held by one writer.
@NullMarked
package dev.writ.trust.file;

import org.jspecify.annotations.NullMarked;
