// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.file;

import java.util.List;
import java.util.Optional;

/// A folder that was judged, and stays the same one whatever becomes of its name.
public interface OpenFolder extends AutoCloseable {
    /// What has a name in it.
    ///
    /// @param status empty if the policy does not let it be read
    record Entry(String name, FileStatus.Type type, Optional<FileStatus> status) {}

    /// The next names in it, in no order; none at the end.
    List<Entry> next();

    /// What has the name in it, even if that is a link.
    default Spot at(String name) {
        return new Spot(Optional.of(this), name, false);
    }

    @Override
    void close();
}
