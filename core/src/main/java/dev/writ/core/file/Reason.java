// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.file;

import dev.writ.core.capability.Text;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/// Why something went wrong with a file, in words: of the commonest errors Java says no more than
/// the name of the file.
public final class Reason {
    private Reason() {}

    public static String of(Throwable e) {
        var said = String.valueOf(e.getMessage());
        if (!(e instanceof FileSystemException file) || file.getReason() != null) {
            return Text.shown(said);
        }
        return word(file) + ": `" + Text.shown(said) + "`";
    }

    private static String word(FileSystemException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "there is one already";
        }
        return e instanceof NotDirectoryException ? "not a folder" : "failed";
    }
}
