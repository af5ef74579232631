// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.policy.Source;
import java.util.List;

/// A piece of a YAML document, with its place.
sealed interface Yaml {
    Source source();

    /// What it is, for messages.
    default String describe() {
        return switch (this) {
            case Text _ -> "a text";
            case Items _ -> "a list";
            case Fields _ -> "a mapping";
        };
    }

    /// One value. Numbers and booleans are text, too: the vocabulary decides what they mean.
    ///
    /// @param textColumn where the characters of the value begin; one more than the column of the
    /// source if it is quoted
    record Text(String value, Source source, int textColumn) implements Yaml {}

    record Items(List<Yaml> items, Source source) implements Yaml {
        public Items {
            items = List.copyOf(items);
        }
    }

    record Fields(List<Field> fields, Source source) implements Yaml {
        public Fields {
            fields = List.copyOf(fields);
        }
    }

    record Field(Text key, Yaml value) {}
}
