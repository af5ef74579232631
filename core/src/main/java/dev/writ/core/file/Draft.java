// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.file;

import java.nio.ByteBuffer;
import java.util.Optional;

/// What a file is to hold. Until it is committed nobody sees anything of it, and without that
/// nothing has changed.
///
/// The new content takes the place of the old one in one step, where the policy permits a second
/// name beside it and nothing else would change by that: the file has one name and is ours.
/// Otherwise it is copied into the file, as most programs would.
public interface Draft extends AutoCloseable {
    /// How it is to be written.
    ///
    /// @param tag of the file that is to be replaced, or [#SOME]; without one it may be any or none
    /// @param fresh whether nothing may have the name
    /// @param runs whether a new file may be started
    record Wish(Optional<String> tag, boolean fresh, boolean runs) {
        /// Any file that is there.
        public static final String SOME = "*";

        public static final Wish ANY = new Wish(Optional.empty(), false, false);
    }

    /// Adds to its end.
    void write(ByteBuffer bytes);

    /// Puts it in place.
    ///
    /// @throws FileException if what was wished is not so any more, among others
    FileStatus commit();

    /// Drops it, unless it was committed.
    @Override
    void close();
}
