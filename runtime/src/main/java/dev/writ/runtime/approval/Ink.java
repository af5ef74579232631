// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

/// How words stand out where that is possible.
public interface Ink {
    /// Nothing stands out.
    Ink PLAIN =
            new Ink() {
                @Override
                public String bold(String text) {
                    return text;
                }

                @Override
                public String dim(String text) {
                    return text;
                }

                @Override
                public String warning(String text) {
                    return text;
                }
            };

    String bold(String text);

    String dim(String text);

    /// Something that is not what it may look like.
    String warning(String text);
}
