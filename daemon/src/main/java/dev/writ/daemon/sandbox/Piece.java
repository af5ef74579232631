// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Something that a process has written, or that happened to it.
///
/// @param number they are counted from 1
/// @param type what the API calls it: `stdout`, `stderr`, `started`, `exit` and so on
/// @param bytes what was written; empty for the rest
/// @param fields what else there is to say
public record Piece(long number, String type, byte[] bytes, Map<String, @Nullable Object> fields) {}
