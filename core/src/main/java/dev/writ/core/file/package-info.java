// SPDX-License-Identifier: Apache-2.0

/// Files of a session for the host application, judged as if a program had reached for them.
@NullMarked
package dev.writ.core.file;

import org.jspecify.annotations.NullMarked;
