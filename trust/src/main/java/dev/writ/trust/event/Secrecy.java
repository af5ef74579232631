// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

/// Says what must not be readable in the record.
public interface Secrecy {
    /// Whether a field is left out of its event, which then holds a commitment in its place.
    ///
    /// @param value as in the JSON form, whole
    boolean hides(EventKind kind, String field, Object value);

    /// Everything can be read by who can read the record.
    static Secrecy nothing() {
        return (_, _, _) -> false;
    }
}
