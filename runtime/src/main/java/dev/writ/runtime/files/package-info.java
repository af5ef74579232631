// SPDX-License-Identifier: Apache-2.0

/// What a host application can do with the files of a session. Nothing here is judged or found by
/// itself: all of it is done by [dev.writ.core.file.FileAccess].
@NullMarked
package dev.writ.runtime.files;

import org.jspecify.annotations.NullMarked;
