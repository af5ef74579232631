// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import dev.writ.conformance.oracle.CanarySecret;
import dev.writ.conformance.stage.Layout;
import dev.writ.conformance.stage.Stage;

/// The output of a probe with what differs from run to run replaced by its name, so that two
/// reports can be compared, and without control characters, so that a terminal can show it.
final class Reported {
    static final int LONGEST = 16_384;

    private Reported() {}

    static String plain(Stage stage, String output) {
        Layout layout = stage.layout();
        String text =
                output.replace(layout.sibling().toString(), "$WS-evil")
                        .replace(layout.workspace().toString(), "$WS")
                        .replace(layout.readOnly().toString(), "$RO")
                        .replace(layout.forbidden().toString(), "$OUT")
                        .replace(layout.home().toString(), "$CH")
                        .replace(layout.base().toString(), "$BASE")
                        .replace(stage.secrets().nonce(), "$NONCE");
        for (var secret : CanarySecret.values()) {
            text = text.replace(stage.secrets().value(secret), "<" + secret.spelling() + ">");
        }
        return text.replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", "\uFFFD");
    }
}
