// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.util.List;

/// What there is to say about a verb. Help, completions and the parser of flags are made from it.
///
/// @param purpose one line for the list of verbs
/// @param usage how it is used, after `writ NAME`
/// @param examples commands to try
record Manual(
        String name, String purpose, String usage, List<String> examples, List<Option> options) {
    Manual {
        examples = List.copyOf(examples);
        options = List.copyOf(options);
    }
}
