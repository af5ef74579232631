// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.util.List;
import java.util.Set;

/// The headers of a message, or its trailers, whichever protocol it is in.
public interface Fields {
    /// The names that occur, in lower case.
    Set<String> names();

    /// The values under `name`, which is in lower case.
    List<String> all(String name);

    /// Puts `values` in place of those under `name`; takes it out if there are none.
    void set(String name, List<String> values);
}
