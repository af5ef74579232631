// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.Text;
import java.io.IOException;

/// It cannot be told what an exec starts. It does not leave this package: [Programs] makes it
/// [Starts.Unclear], which is refused.
final class UnclearException extends IOException {
    private static final long serialVersionUID = 1L;

    UnclearException(String message) {
        super(Text.shown(message)); // names in it come from an attacker
    }
}
