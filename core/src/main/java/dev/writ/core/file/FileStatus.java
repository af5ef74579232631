// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.file;

import java.time.Instant;

/// What can be said about a file without opening it.
///
/// @param size in bytes, of a file
/// @param permissions the bits of its mode that say who may do what
/// @param tag another one after every change
public record FileStatus(Type type, long size, Instant modified, int permissions, String tag) {
    /// What it is.
    public enum Type {
        FILE,
        FOLDER,
        LINK,
        /// A pipe, a socket, a device.
        OTHER
    }

    public boolean isFolder() {
        return type == Type.FOLDER;
    }
}
